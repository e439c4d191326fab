"""Servers on loopback that the sections measure against; each stops when its `with` block ends."""

import base64
import contextlib
import datetime
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

from harness import SCHEMA


@contextlib.contextmanager
def nginx(bench, pages):
    """Serves a folder under every host name that ends in `localhost`, without privileges; gives the port.

    A document that is not there is answered with that of feed 0. Below `/plain/` are the same documents, and never a 304.
    """
    port = free_port()
    for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
        os.makedirs(bench.path("nginx", name), exist_ok=True)
    with open(bench.path("nginx", "nginx.conf"), "w") as file:
        file.write(f"""
            daemon off; master_process off; pid nginx.pid; error_log error.log;
            events {{ worker_connections 8192; }}
            http {{
              access_log off; types {{ application/rss+xml xml; }} sendfile on;
              client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
              uwsgi_temp_path uwsgi; scgi_temp_path scgi;
              server {{
                listen 127.0.0.1:{port} backlog=4096; listen [::1]:{port} backlog=4096;
                root {pages}; location / {{ try_files $uri /0.xml =404; }}
                location /plain/ {{ alias {pages}/; etag off; if_modified_since off; add_header Last-Modified ""; }}
              }}
            }}""")
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    with running([program, "-p", bench.path("nginx") + "/", "-c", "nginx.conf", "-e", "error.log"], bench):
        wait_until(lambda: accepts(port))
        yield port


@contextlib.contextmanager
def silence(backlog=4096):
    """A port, on both loopback addresses, where connections open and nothing is ever answered."""
    port = free_port()
    with contextlib.ExitStack() as stack:
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            listener = stack.enter_context(socket.socket(family))
            listener.bind((address, port))
            listener.listen(backlog)
        yield port


@contextlib.contextmanager
def emulator(bench, container_file, *options, rate="1000000"):
    """Serves a container file as CloudKit; gives the environment that points the tool at it."""
    ready = bench.path("ready.json")
    command = [
        bench.binary, "emulator", "serve", "--schema", SCHEMA, "--container-file", container_file, "--ready-file",
        ready, *options]
    with running(command, bench):
        wait_until(lambda: os.path.exists(ready))
        with open(ready) as file:
            facts = json.load(file)
        yield {
            "CLOUDKIT_BASE_URL": facts["url"], "CLOUDKIT_CONTAINER_ID": facts["container"],
            "CLOUDKIT_KEY_ID": facts["keyID"], "CLOUDKIT_PRIVATE_KEY_PATH": facts["privateKeyPath"],
            "CLOUDKIT_ENVIRONMENT": "development", "CLOUDKIT_RATE_LIMIT": rate,
            "CELESTRA_ADMIN_CONTAINER": f"cloudkit:{facts['container']}", "CELESTRA_ADMIN_SCHEMA": SCHEMA,
        }


@contextlib.contextmanager
def running(command, bench):
    with open(bench.path("server.log"), "wb") as log:
        process = subprocess.Popen(command, cwd=bench.folder, stdout=log, stderr=log)
    try:
        yield process
    except BaseException:
        with open(bench.path("server.log"), errors="replace") as log:
            sys.stderr.write(log.read()[-2000:])
        raise
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def post(env, operation, message):
    """Sends one signed request; gives the answer, and the seconds that it took."""
    body = json.dumps(message).encode()
    path, headers = signed(env, operation, body)
    request = urllib.request.Request(env["CLOUDKIT_BASE_URL"] + path, body, headers)
    start = time.perf_counter()
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read()), time.perf_counter() - start


def signed(env, operation, body):
    """The path and headers of a request signed by the key of `env`; good for ten minutes."""
    container, environment = env["CLOUDKIT_CONTAINER_ID"], env["CLOUDKIT_ENVIRONMENT"]
    path = f"/database/1/{container}/{environment}/public/{operation}"
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    signature = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", env["CLOUDKIT_PRIVATE_KEY_PATH"]],
        input=f"{date}:{digest}:{path}".encode(), stdout=subprocess.PIPE, check=True).stdout
    return path, {
        "Content-Type": "application/json", "X-Apple-CloudKit-Request-KeyID": env["CLOUDKIT_KEY_ID"],
        "X-Apple-CloudKit-Request-ISO8601Date": date,
        "X-Apple-CloudKit-Request-SignatureV1": base64.b64encode(signature).decode(),
    }


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("a server did not start")
        time.sleep(0.01)
