"""moto, which verifies the signature of each request. The tests are in moto_s3.lua."""
# pip: moto[server,s3]==5.2.5 boto3==1.44.5 botocore==1.44.5

import json
import os
import sys
import tempfile

# Requests before there is a key are not signed: they create a user, a policy and a key.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "4"

import boto3  # noqa: E402
from counterpart import lull  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"

iam = boto3.client(
    "iam", endpoint_url=url, region_name="us-east-1",
    aws_access_key_id="none", aws_secret_access_key="none")
iam.create_user(UserName="ann")
everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
iam.put_user_policy(UserName="ann", PolicyName="all", PolicyDocument=json.dumps(everything))
iam.create_user(UserName="ben")
key = iam.create_access_key(UserName="ann")["AccessKey"]

with tempfile.TemporaryDirectory() as folder:
    said = lull(
        "moto_s3.lua", url, folder,
        AWS_ACCESS_KEY_ID=key["AccessKeyId"], AWS_SECRET_ACCESS_KEY=key["SecretAccessKey"],
        AWS_REGION="eu-central-1")

# Read objects uploaded by lull with botocore.
s3 = boto3.client(
    "s3", endpoint_url=url, region_name="eu-central-1",
    aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"])
listed = sorted(one["Key"] for one in s3.list_objects_v2(Bucket="things")["Contents"])
server.stop()
if listed != sorted(json.loads(said)):
    sys.exit(f"botocore lists {listed}\nlull has put {said}")
