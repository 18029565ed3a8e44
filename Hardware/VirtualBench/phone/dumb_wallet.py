"""A wallet that holds nothing: greets with an engagement over Bluetooth LE and returns each message as it came.

    dumb_wallet.py UUID     listens on a port of 127.0.0.1 that it prints, for one reader after the other
"""

import base64
import socket
import sys
import uuid

# EDeviceKeyBytes of ISO/IEC 18013-5 D.5.1; its Ident is 8da0b7a85919f05673054ea996bbd124.
KEY = bytes.fromhex(
    "d818584ba4010220012158205a88d182bce5f42efa59943f33359d2e8a968ff289d93e5fa444b624343167fe225820b16e8cf858ddc7690"
    "407ba61d4c338237a8cfcf3de6aa672fc60a557aa32fc67")


def text(value):
    return head(3, len(value)) + value.encode()


def data(value):
    return head(2, len(value)) + value


def head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    if value < 256:
        return bytes([major << 5 | 24, value])
    return bytes([major << 5 | 25]) + value.to_bytes(2, "big")


def engagement(service):
    options = b"\xa4\x00\xf5\x01\xf5\x0a" + data(service) + b"\x0b" + data(service)
    return b"\xa3\x00" + text("1.0") + b"\x01\x82\x01" + KEY + b"\x02\x81\x83\x02\x01" + options


def greeting(service):
    device = engagement(service)
    qr = "mdoc:" + base64.urlsafe_b64encode(device).decode().rstrip("=")
    return (b"\xa4" + text("qr") + text(qr) + text("deviceEngagement") + data(device)
            + text("handoverSelect") + b"\xf6" + text("handoverRequest") + b"\xf6")


def frame(message):
    return len(message).to_bytes(4, "big") + message


def serve(service):
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"listening port={listener.getsockname()[1]}", flush=True)
    while True:
        channel, _ = listener.accept()
        with channel, channel.makefile("rb") as frames:
            channel.sendall(frame(greeting(service)))
            while length := frames.read(4):
                channel.sendall(frame(frames.read(int.from_bytes(length, "big"))))


if __name__ == "__main__":
    serve(uuid.UUID(sys.argv[1]).bytes)
