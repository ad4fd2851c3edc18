"""What is wrong with a hand, said so that a person can mend it.

A problem carries the sentence as a template and its words apart, so that the layers above can translate the
one and fill in the other. Nothing here knows Django.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Problem:
    """One fault in a document.

    ``pointer`` is a JSON pointer (RFC 6901) into the document that was read, ``""`` for the whole of it;
    ``code`` is a word for programs that never changes; ``template`` is the English sentence with
    ``{names}`` of ``words`` in it.
    """

    pointer: str
    code: str
    template: str
    words: Mapping[str, object] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The sentence in English."""
        return self.template.format(**self.words)


class Refused(ValueError):
    """Raised by the pure core for input that breaks a rule; ``problems`` says all that was found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(problem.sentence for problem in self.problems))
