"""The example shop answers one request for each that was sent, whatever is in a body that it does not read."""

import socket
import threading
import unittest

from shop_stage import TOKEN
from shop import Desk, Shop  # shop_stage knows where it is

INNER = b"GET /shop.css HTTP/1.1\r\nHost: localhost\r\n\r\n"


class ConnectionTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shop = Shop(0, Desk("http://127.0.0.1:9", TOKEN, "http://localhost"))
        threading.Thread(target=cls.shop.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.shop.shutdown()
        cls.shop.server_close()

    def answers(self, request):
        """What comes until the shop closes the connection, or stays silent."""
        with socket.create_connection(self.shop.server_address, timeout=10) as connection:
            connection.sendall(request)
            answer = b""
            try:
                while piece := connection.recv(1 << 16):
                    answer += piece
            except TimeoutError:
                return answer, False
            return answer, True

    def test_a_body_that_is_not_read_ends_the_connection(self):
        size = len(INNER)
        for head in (
            f"POST /age/request HTTP/1.1\r\nContent-Length: {1 << 30}",
            "POST /age/request HTTP/1.1\r\nContent-Length: -1",
            "POST /age/request HTTP/1.1\r\nContent-Length: x",
            f"POST /age/request HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: {size}",
            "POST /age/request HTTP/1.1\r\nTransfer-Encoding: chunked",
            f"GET / HTTP/1.1\r\nContent-Length: {size}",
        ):
            with self.subTest(head):
                answer, is_closed = self.answers(head.encode() + b"\r\nHost: localhost\r\n\r\n" + INNER)
                self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
                self.assertTrue(is_closed)

    def test_a_body_that_is_read_keeps_the_connection(self):
        answer, is_closed = self.answers(
            b"POST /age/request HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}" + INNER)
        self.assertEqual(answer.count(b"HTTP/1.1 "), 2)
        self.assertFalse(is_closed)


if __name__ == "__main__":
    unittest.main()
