"""Compares botocore's signatures of 300 requests with those of lull. The requests arrive here,
and both signatures must be equal."""
# pip: botocore==1.44.5 werkzeug==3.1.9

import datetime
import json
import os
import pathlib
import random
import sys
import tempfile
from urllib.parse import quote

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from counterpart import lull, wsgi

COUNT = 300
ODD = "abcXYZ019 -_.~!*'();:@,$[]{}|^`\"<>\\äöüß日本=&?#%+/"
SERVICES = [
    ("s3", "things.s3.eu-central-1.amazonaws.com", "eu-central-1"),
    ("s3", "s3.us-west-2.amazonaws.com", "us-west-2"),
    ("s3", "s3.amazonaws.com", "us-east-1"),
    ("s3", "minio.example.com", "anywhere"),
    ("dynamodb", "dynamodb.us-east-1.amazonaws.com", "us-east-1"),
    ("execute-api", "abc123.execute-api.eu-west-1.amazonaws.com", "eu-west-1"),
    ("es", "search-things-xyz.eu-north-1.es.amazonaws.com", "eu-north-1"),
    ("lambda", "abc.lambda-url.ap-south-1.on.aws", "ap-south-1"),
    ("iam", "iam.amazonaws.com", "us-east-1"),
    ("service", "api.example.com:8080", "us-gov-west-1"),
]
KNOWN = ("amazonaws.com", "on.aws")
generator = random.Random(os.environ.get("LULL_SEED", "lull"))


def word(characters=ODD, least=0, most=12):
    return "".join(generator.choice(characters) for _ in range(generator.randint(least, most)))


def case(number, folder):
    service, host, region = generator.choice(SERVICES)
    is_storage = service == "s3"
    parts = [word(least=1).replace("/", "") or "x" for _ in range(generator.randint(0, 3))]
    if not is_storage and generator.random() < 0.3:
        parts.insert(generator.randint(0, len(parts)), generator.choice([".", "..", "", "a"]))
    # S3 keys must not contain dot segments. Other services resolve them.
    if is_storage:
        parts = [part if part not in (".", "..") else "dots" for part in parts]
    path = "/" + "/".join(quote(part, safe="-_.~") for part in parts)
    if parts and parts[-1] and generator.random() < 0.2:
        path += "/"
    params = [(word(least=1), word()) for _ in range(generator.choice([0, 0, 1, 2, 5]))]
    if params and generator.random() < 0.3:
        params.append((params[0][0], word()))

    def query(safe):
        return "&".join(quote(name, safe=safe) + "=" + quote(value, safe=safe) for name, value in params)

    exact, loose = query("-_.~"), query("-_.~!*'();:@,$/?")
    headers = {"x-case": str(number)}
    for _ in range(generator.randint(0, 3)):
        name = generator.choice(["x-amz-meta-", "X-Own-", "x-amz-"]) + word("abcdefgh-", 1, 8).strip("-") + "x"
        if name.lower() not in map(str.lower, headers):
            headers[name] = " ".join(word("abc:;,=0 äé", 1, 20).split()) or "x"
            if generator.random() < 0.3:
                headers[name] = headers[name].replace(" ", "   ")
    method = generator.choice(["GET", "GET", "HEAD", "DELETE", "POST", "PUT", "PUT"])
    body, file = None, None
    if method in ("POST", "PUT"):
        body = generator.choice([b"", b"{}", word(most=400).encode(), bytes(range(256)) * generator.randint(1, 3000)])
        headers["content-type"] = generator.choice(["text/plain", "application/json; charset=utf-8", "image/png"])
        if generator.random() < 0.4:
            file = os.path.join(folder, f"body-{number}")
            pathlib.Path(file).write_bytes(body)
    if not any(host.endswith(ending) for ending in KNOWN) or generator.random() < 0.3:
        said = {"service": service, "region": region}
    else:
        said = {}
    return {
        "method": method, "host": host, "path": path, "service": service, "region": region, "headers": headers,
        "query": exact, "written": generator.choice([exact, loose]), "said": said, "file": file,
        "body": None if body is None else body.hex(), "keys": {
            "access_key": "AKIA" + word("ABCDEFGHIJKLMNOP234567", 16, 16),
            "secret_key": word("abcXYZ019/+", 40, 40),
            "session_token": word("abcXYZ019/+=", 20, 300) if generator.random() < 0.3 else None},
    }


def given(value):
    """Returns the value without missing entries."""
    if not isinstance(value, dict):
        return value
    return {name: given(one) for name, one in value.items() if one is not None}


def expected(case, time):
    """Returns botocore's signature at the time of lull's signature."""
    at = datetime.datetime.strptime(time, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    botocore.auth.get_current_datetime = lambda *_, **__: at
    url = f"http://{case['host']}{case['path']}" + (f"?{case['query']}" if case["query"] else "")
    body = bytes.fromhex(case["body"]) if case["body"] is not None else b""
    request = AWSRequest(method=case["method"], url=url, headers=case["headers"], data=body)
    keys = case["keys"]
    credentials = Credentials(keys["access_key"], keys["secret_key"], keys["session_token"])
    kind = botocore.auth.S3SigV4Auth if case["service"] == "s3" else botocore.auth.SigV4Auth
    kind(credentials, case["service"], case["region"]).add_auth(request)
    return request.headers["Authorization"]


with tempfile.TemporaryDirectory() as folder:
    cases = [case(number, folder) for number in range(COUNT)]
    seen, differing = set(), []

    def application(environment, respond):
        number = int(environment["HTTP_X_CASE"])
        seen.add(number)
        said = environment.get("HTTP_AUTHORIZATION", "nothing")
        wanted = expected(cases[number], environment["HTTP_X_AMZ_DATE"])
        if said != wanted:
            differing.append(f"{json.dumps(cases[number])}\n  lull:     {said}\n  botocore: {wanted}")
        length = int(environment.get("CONTENT_LENGTH") or 0)
        environment["wsgi.input"].read(length)
        respond("204 No Content", [])
        return []

    file = pathlib.Path(folder, "cases.json")
    file.write_text(json.dumps([given(one) for one in cases]), encoding="utf-8")
    # lull warns about tokens sent without encryption.
    with wsgi(application) as url:
        lull("botocore_signatures.lua", url.removeprefix("http://"), file, warns=True)
missing = set(range(COUNT)) - seen
if differing or missing:
    sys.exit("\n".join(differing[:10]) + f"\n{len(differing)} of {COUNT} differ, {len(missing)} have not come")
