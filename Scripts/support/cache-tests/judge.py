"""Judges the results of the public suite: judge.py REPORT KNOWN MODE METHOD. Exits with 1 if they
differ from the known ones."""

import json
import pathlib
import sys

report, known, mode, method = sys.argv[1:]
results = json.loads(pathlib.Path(report).read_text())
reasons = {}
for line in pathlib.Path(known).read_text().splitlines():
    if line and not line.startswith("#"):
        where, name, reason = line.split(None, 2)
        if where in (mode, "both"):
            reasons[name] = reason

# A case that depends on a failed one is ignored, as the suite itself does. Untested are cases that
# only concern shared caches and proxies.
kinds = {}
for name, result in results.items():
    if result["result"] not in ("dependency_fail", "untested"):
        kinds.setdefault(result["kind"], {})[name] = result["result"] in ("pass", "yes")
required = kinds["required"]
optimal = kinds["optimal"]
print(
    f"        {method}, {mode}: {sum(required.values())} of {len(required)} required cases pass, "
    f"{sum(optimal.values())} of {len(optimal)} that save requests",
    file=sys.stderr,
)
differing = [name for name, passes in required.items() if passes == (name in reasons)]
for name in differing:
    said = results[name]
    if said["result"] == "pass":
        print(f"        {name} passes now: known.txt need not name it", file=sys.stderr)
    else:
        print(f"        {name} ({said['name']}): {said['result']}, {said.get('why')}", file=sys.stderr)
missing = [name for name in reasons if name not in required]
for name in missing:
    print(f"        {name} was not run: {results.get(name, {}).get('result', 'it is not in the suite')}", file=sys.stderr)
sys.exit(1 if differing or missing else 0)
