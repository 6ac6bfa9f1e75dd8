"""moto's DynamoDB and SSM, whose reads are POST requests. The tests are in moto_json.lua."""
# pip: moto[server,dynamodb,ssm]==5.2.5 boto3==1.44.5 botocore==1.44.5

import collections
import json
import sys
import tempfile
import threading

import boto3
from counterpart import lull, wsgi
from moto.server import DomainDispatcherApplication, create_backend_app

# The log: how often each operation was asked, and with which condition.
asked = collections.Counter()
conditional = []
lock = threading.Lock()
application = DomainDispatcherApplication(create_backend_app)


def counted(environ, start_response):
    operation = environ.get("HTTP_X_AMZ_TARGET", environ["REQUEST_METHOD"]).split(".")[-1]
    with lock:
        asked[operation] += 1
        count = asked[operation]
        for name in ("HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE"):
            if name in environ:
                conditional.append(operation)
    # A service that is busy now and then, for reads and for writes.
    if environ.get("HTTP_X_TEST_BUSY") and count == 1:
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start_response("503 Busy", [("Content-Length", "0")])
        return [b""]
    return application(environ, start_response)


with tempfile.TemporaryDirectory() as folder, wsgi(counted) as url:
    keys = {"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "eu-central-1"}
    said = json.loads(lull("moto_json.lua", url, folder, **keys))
    client = boto3.client(
        "dynamodb", endpoint_url=url, region_name="eu-central-1",
        aws_access_key_id=keys["AWS_ACCESS_KEY_ID"], aws_secret_access_key="x")
    log = dict(asked)
    found = [item["n"]["N"] for item in client.query(
        TableName="things", KeyConditionExpression="k = :k", ExpressionAttributeValues={":k": {"S": "a"}})["Items"]]

expected = {
    "CreateTable": 1, "PutItem": 25, "BatchWriteItem": 1, "PutParameter": 1,
    # Of a write, 503 is the answer.
    "UpdateItem": 2,
    # Repeated after 503, and again after the write that the script knows of.
    "GetItem": 3,
    # As a whole, in three pages, and after the write.
    "Query": 5,
    # A table that there is, and one that there is not.
    "DescribeTable": 2,
    "DescribeTimeToLive": 1, "ListTables": 1, "BatchGetItem": 1, "Scan": 1, "GetParameter": 1,
}
if log != expected:
    sys.exit(f"the server was asked {log}\ninstead of          {expected}")
if conditional:
    sys.exit(f"these were asked with a condition: {conditional}")
if said != found:
    sys.exit(f"lull reads   {said}\nboto3 reads {found}")
