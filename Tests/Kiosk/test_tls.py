"""The daemon's own certificate: with it a page or a till on another machine needs no proxy."""

import http.client
import json
import shutil
import ssl
import subprocess
import unittest

from built_daemon import IS_BUILT, PROGRAMS, TOKEN, BuiltDaemon


@unittest.skipUnless(IS_BUILT and shutil.which("openssl"), "countersignd or openssl is not there")
class TLSTests(unittest.TestCase):
    def setUp(self):
        self.daemon = BuiltDaemon(self.addCleanup)
        self.folder = self.daemon.folder
        self.certificate("server", "/CN=reader.example", "subjectAltName=DNS:reader.example,IP:127.0.0.1")
        self.certificate("client", "/CN=till")

    def certificate(self, name, subject, extension="extendedKeyUsage=clientAuth"):
        """A key of mode 0600, and a certificate that it signs itself."""
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
                        "-subj", subject, "-addext", extension, "-addext", "keyUsage=critical,digitalSignature,keyCertSign",
                        "-keyout", self.folder / f"{name}.key",
                        "-out", self.folder / f"{name}.pem"], check=True, capture_output=True)
        (self.folder / f"{name}.key").chmod(0o600)

    def http(self, **more):
        tls = {"certificate": str(self.folder / "server.pem"), "key": str(self.folder / "server.key"), **more}
        return {"port": self.daemon.port, "host": "0.0.0.0", "names": ["reader.example"], "tls": tls}

    def status(self, context, host=None, origin=None):
        connection = http.client.HTTPSConnection("127.0.0.1", self.daemon.port, timeout=120, context=context)
        self.addCleanup(connection.close)
        headers = {"Authorization": f"Bearer {TOKEN}", "Host": host or f"127.0.0.1:{self.daemon.port}"}
        connection.request("GET", "/v1/lanes", headers={**headers, **({"Origin": origin} if origin else {})})
        return connection.getresponse().status

    def trusting(self, *client):
        context = ssl.create_default_context(cafile=self.folder / "server.pem")
        if client:
            context.load_cert_chain(*client)
        return context

    def test_a_client_that_trusts_the_certificate_is_served_and_its_pages_have_https(self):
        self.daemon.serve(http=self.http())
        own = f"127.0.0.1:{self.daemon.port}"
        named = f"reader.example:{self.daemon.port}"
        for host, origin, status in [
                (own, None, 200), (own, f"https://{own}", 200), (named, f"https://{named}", 200),
                (own, f"http://{own}", 403), (named, "https://evil.example", 403), ("evil.example", None, 421)]:
            with self.subTest(host=host, origin=origin):
                self.assertEqual(self.status(self.trusting(), host, origin), status)
        with self.assertRaises(ssl.SSLError):
            self.status(ssl.create_default_context())
        plain = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=120)
        self.addCleanup(plain.close)
        with self.assertRaises((http.client.HTTPException, OSError)):
            plain.request("GET", "/healthz")
            plain.getresponse()

    def test_where_clients_need_a_certificate_none_is_served_without(self):
        self.daemon.serve(http=self.http(clientAuthority=str(self.folder / "client.pem")))
        pair = (self.folder / "client.pem", self.folder / "client.key")
        self.assertEqual(self.status(self.trusting(*pair)), 200)
        for client in [(), (self.folder / "server.pem", self.folder / "server.key")]:
            with self.subTest(client=client), self.assertRaises((ssl.SSLError, OSError, http.client.HTTPException)):
                self.status(self.trusting(*client))

    def presented(self):
        """The certificate that a new connection gets, as PEM."""
        return ssl.get_server_certificate(("127.0.0.1", self.daemon.port), timeout=120)

    def pem(self, name):
        der = ssl.PEM_cert_to_DER_cert((self.folder / f"{name}.pem").read_text())
        return ssl.DER_cert_to_PEM_cert(der)

    def test_a_renewed_certificate_is_taken_at_a_reload_and_a_broken_one_is_not(self):
        self.daemon.serve(http=self.http())
        first = self.pem("server")
        self.assertEqual(self.presented(), first)
        open_connection = http.client.HTTPSConnection("127.0.0.1", self.daemon.port, timeout=120, context=self.trusting())
        self.addCleanup(open_connection.close)
        open_connection.connect()
        self.certificate("server", "/CN=reader.example", "subjectAltName=DNS:reader.example,IP:127.0.0.1")
        renewed = self.pem("server")
        self.assertNotEqual(renewed, first)
        # Nothing is taken before the reload.
        self.assertEqual(self.presented(), first)
        self.daemon.reload()
        self.assertEqual(self.presented(), renewed)
        self.assertEqual(self.status(self.trusting()), 200)
        # Who was connected is served on.
        open_connection.request("GET", "/healthz", headers={"Host": f"127.0.0.1:{self.daemon.port}"})
        self.assertEqual(open_connection.getresponse().status, 200)
        (self.folder / "server.pem").write_text("no certificate")
        self.daemon.reload()
        self.assertTrue(any("the new certificate of http.tls cannot be used: the previous one stays in force" in line for line in self.daemon.lines))
        self.assertEqual(self.presented(), renewed)
        # A key that is not the certificate's: renewed in two steps, read in between.
        self.certificate("other", "/CN=reader.example", "subjectAltName=IP:127.0.0.1")
        shutil.copy(self.folder / "other.pem", self.folder / "server.pem")
        self.daemon.reload()
        self.assertEqual(self.presented(), renewed)
        shutil.copy(self.folder / "other.key", self.folder / "server.key")
        self.daemon.reload()
        self.assertEqual(self.presented(), self.pem("other"))

    def faults(self, http):
        """What `--check` says of such a file."""
        file = self.folder / "checked.json"
        file.write_text(json.dumps({"http": http, "lanes": [{"name": "counter-1", "benchLink": self.daemon.link}]}))
        done = subprocess.run([PROGRAMS / "countersignd", "--check", "--config", file], capture_output=True, text=True)
        return done.returncode, done.stderr

    def test_a_certificate_that_cannot_be_used_is_named(self):
        self.assertEqual(self.faults(self.http()), (0, ""))
        self.certificate("other", "/CN=other")
        (self.folder / "open.key").write_bytes((self.folder / "server.key").read_bytes())
        (self.folder / "open.key").chmod(0o644)
        for change in [{"key": "other.key"}, {"key": "server.pem"}, {"key": "open.key"}, {"certificate": "server.key"},
                       {"certificate": "absent.pem"}, {"clientAuthority": "server.key"}]:
            with self.subTest(change):
                code, text = self.faults(self.http(**{name: str(self.folder / file) for name, file in change.items()}))
                self.assertEqual(code, 1, text)
                self.assertIn("http.tls", text)

    def test_without_a_certificate_the_address_is_of_this_computer(self):
        code, text = self.faults({"port": self.daemon.port, "host": "0.0.0.0"})
        self.assertEqual(code, 64)
        self.assertIn("/http/host", text)


if __name__ == "__main__":
    unittest.main()
