"""The daemon behind a real nginx with a certificate, as configuration.md has it."""

import http.client
import re
import shutil
import ssl
import subprocess
import time
import unittest

from built_daemon import IS_BUILT, ROOT, TOKEN, BuiltDaemon, held_port

CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/proxy.pem; ssl_certificate_key {folder}/proxy.key;
        {location}
    }}
}}
"""


@unittest.skipUnless(IS_BUILT and shutil.which("openssl") and shutil.which("nginx"), "no countersignd, openssl or nginx")
class ProxyTests(unittest.TestCase):
    def setUp(self):
        self.daemon = BuiltDaemon(self.addCleanup)
        self.folder = self.daemon.folder
        self.port = held_port(self.addCleanup)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
                        "-subj", "/CN=shop.example", "-addext", "subjectAltName=DNS:shop.example", "-addext",
                        "keyUsage=critical,digitalSignature,keyCertSign", "-keyout", self.folder / "proxy.key",
                        "-out", self.folder / "proxy.pem"], check=True, capture_output=True)
        name = f"shop.example:{self.port}"
        self.daemon.serve(http={"port": self.daemon.port, "names": [name]})
        text = (ROOT / "Documentation/configuration.md").read_text()
        location = re.search(r"^location / \{.*\}$", text, re.MULTILINE)[0].replace("8411", str(self.daemon.port))
        file = self.folder / "nginx.conf"
        file.write_text(CONFIGURATION.format(folder=self.folder, port=self.port, location=location))
        nginx = subprocess.Popen(["nginx", "-p", self.folder, "-c", file], stderr=subprocess.DEVNULL)
        self.addCleanup(nginx.wait, 20)
        self.addCleanup(nginx.terminate)
        self.name = name

    def ask(self, host, origin=None, path="/v1/lanes"):
        context = ssl.create_default_context(cafile=self.folder / "proxy.pem")
        context.check_hostname = False
        deadline = time.monotonic() + 180
        while True:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=120, context=context)
            self.addCleanup(connection.close)
            headers = {"Authorization": f"Bearer {TOKEN}", "Host": host, **({"Origin": origin} if origin else {})}
            try:
                connection.request("GET", path, headers=headers)
                return connection.getresponse()
            except ConnectionRefusedError:
                self.assertLess(time.monotonic(), deadline, "nginx does not listen")
                time.sleep(0.05)

    def test_a_page_behind_the_proxy_is_the_daemons_own_and_no_other_is(self):
        for host, origin, status in [
                (self.name, None, 200), (self.name, f"https://{self.name}", 200),
                (self.name, "https://evil.example", 403), (self.name, "https://shop.example", 403),
                ("evil.example", None, 421)]:
            with self.subTest(host=host, origin=origin):
                self.assertEqual(self.ask(host, origin).status, status)

    def test_events_come_through_at_once(self):
        answer = self.ask(self.name, path="/v1/lanes/counter-1/events")
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.readline().startswith(b"id: "))


if __name__ == "__main__":
    unittest.main()
