"""Names that break careless sheets and pages."""

# What looks like a formula, a number, an error, a flag or a tag; signs beyond the first plane, and from right to left.
HOSTILE_NAMES = [
    '=HYPERLINK("http://x")',
    "+1",
    "-2+3",
    "@x",
    "#N/A",
    "A.B",
    "Big C (host)",
    "Alex, Jr.",
    "🐟",
    "👩‍👩‍👧‍👦 Ana 🂡",
    "\u202eעדה\u202c",
    "x" * 60,
    "a/b",
    "Jean-Luc, “the” O'Hara & <b>",
]
