"""Our store of files against moto, an S3 that other people wrote, which checks signatures, and boto3, which reads along."""

import logging
import os
import subprocess
import threading

# From here on every call has to be signed by somebody who may do it.
OPEN_CALLS = 3
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = str(OPEN_CALLS)

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

# Says every call otherwise.
logging.getLogger("werkzeug").setLevel(logging.ERROR)

REGION = "eu-central-1"
BUCKET = "symbolon-files"
NAME = "pictures/gld_01ARZ3NDEKTSV4RRFFQ69G5FAV/" + "0123456789abcdef" * 4
MAY = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'

server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
endpoint = f"http://127.0.0.1:{server.server_port}"


def client(service, key="none", secret="none"):
    return boto3.client(
        service, endpoint_url=endpoint, region_name=REGION, aws_access_key_id=key, aws_secret_access_key=secret
    )


iam = client("iam")
iam.create_user(UserName="symbolon")
iam.put_user_policy(UserName="symbolon", PolicyName="files", PolicyDocument=MAY)
made = iam.create_access_key(UserName="symbolon")["AccessKey"]
key, secret = made["AccessKeyId"], made["SecretAccessKey"]
s3 = client("s3", key, secret)
s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})


def ours(what, given=b"", at=endpoint, signing=secret, name=NAME):
    asked = [os.environ["BLOBS"], what, name, BUCKET, at, REGION, key, signing]
    return subprocess.run(asked, input=given, capture_output=True)


def works(what, given=b"", name=NAME):
    done = ours(what, given, name=name)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fails(saying, **other):
    done = ours("get", **other)
    said = done.stderr.decode()
    assert done.returncode == 1 and saying in said, (saying, said)
    # A failure names neither the address nor who asked.
    for hidden in [endpoint, key, secret, BUCKET]:
        assert hidden not in said, said


def listed():
    return [one["Key"] for one in s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


fails("there is none")
picture = bytes(range(256)) * 512
works("put", picture)
assert listed() == [NAME]
assert s3.get_object(Bucket=BUCKET, Key=NAME)["Body"].read() == picture
assert works("get") == picture
works("put", b"another")
assert works("get") == b"another"
fails("it rejected our credentials", signing="wrong")
fails("it did not answer", at="http://127.0.0.1:1")
for _ in range(2):
    works("delete")
assert listed() == []
fails("there is none")
# A version is published once, whoever tries, and the list is the folder's own files.
for version in ["v1.0.0", "v1.1.0"]:
    works("create", b"{}", "plugin/versions/" + version)
works("put", b"", "plugin/withdrawn/v1.0.0")
again = ours("create", b"other", name="plugin/versions/v1.0.0")
assert again.returncode == 1 and b"there is one already" in again.stderr, again.stderr
assert works("get", name="plugin/versions/v1.0.0") == b"{}"
assert works("list", name="plugin/versions").split() == [b"v1.0.0", b"v1.1.0"]
assert works("list", name="plugin/nothing") == b""
print("blobs: moto keeps, finds and forgets our files, and knows our signature from a wrong one")
