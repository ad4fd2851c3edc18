"""Static files with the digest of their content in their names, so that browsers may keep them for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Names of imported JavaScript modules have their digests too, so that all of a page is of one version."""

    support_js_module_import_aggregation = True
