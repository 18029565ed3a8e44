/// Checks, in Python alone, every reader signature of a DeviceRequest: reads the CBOR with its own few lines, builds
/// what is signed from the bytes of the request and the transcript, and verifies it and the chain up to a root.
let readerAuthenticationScript = """
    import sys
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    folder = sys.argv[1]
    read = lambda name: open(folder + "/" + name, "rb").read()

    class Item:
        def __init__(self, value, raw): self.value, self.raw = value, raw

    def parse(b, i=0):
        start, major, info = i, b[i] >> 5, b[i] & 31
        i += 1
        if info >= 24:
            size = 1 << info - 24
            n, i = int.from_bytes(b[i:i + size], "big"), i + size
        else: n = info
        if major == 0: v = n
        elif major == 1: v = -1 - n
        elif major == 2: v, i = b[i:i + n], i + n
        elif major == 3: v, i = b[i:i + n].decode(), i + n
        elif major == 4:
            v = []
            for _ in range(n):
                x, i = parse(b, i)
                v.append(x)
        elif major == 5:
            v = {}
            for _ in range(n):
                k, i = parse(b, i)
                x, i = parse(b, i)
                assert k.value not in v
                v[k.value] = x
        elif major == 6: v, i = parse(b, i)
        else: v = {20: False, 21: True, 22: None}[n]
        return Item(v, b[start:i]), i

    def head(major, n):
        for info, limit in ((None, 24), (24, 1 << 8), (25, 1 << 16), (26, 1 << 32)):
            if n < limit:
                if info is None: return bytes([major << 5 | n])
                return bytes([major << 5 | info]) + n.to_bytes(1 << info - 24, "big")

    text = lambda s: head(3, len(s)) + s.encode()
    data = lambda b: head(2, len(b)) + b
    embedded = lambda b: b"\\xd8\\x18" + data(b)

    def issued(certificate, issuer):
        assert certificate.issuer == issuer.subject
        issuer.public_key().verify(certificate.signature, certificate.tbs_certificate_bytes,
                                   ec.ECDSA(certificate.signature_hash_algorithm))

    def check(sign1, payload):
        protected, unprotected, detached, signature = [x for x in sign1.value]
        assert detached.value is None
        algorithm = parse(protected.value)[0].value[1].value
        chain = unprotected.value[33].value
        chain = [x.value for x in chain] if isinstance(chain, list) else [chain]
        chain = [x509.load_der_x509_certificate(x) for x in chain]
        root = x509.load_der_x509_certificate(read("root.der"))
        assert root not in chain, "the root was sent"
        for certificate, issuer in zip(chain, chain[1:] + [root]): issued(certificate, issuer)
        curve, digest = {-7: ("secp256r1", hashes.SHA256()), -35: ("secp384r1", hashes.SHA384()),
                         -36: ("secp521r1", hashes.SHA512())}[algorithm]
        key = chain[0].public_key()
        assert key.curve.name == curve
        size = (key.key_size + 7) // 8
        raw = signature.value
        assert len(raw) == 2 * size
        der = encode_dss_signature(int.from_bytes(raw[:size], "big"), int.from_bytes(raw[size:], "big"))
        signed = head(4, 4) + text("Signature1") + protected.raw + data(b"") + data(payload)
        key.verify(der, signed, ec.ECDSA(digest))

    transcript = read("transcript.cbor")
    request, end = parse(read("request.cbor"))
    assert end == len(request.raw)
    documents = [x.value for x in request.value["docRequests"].value]
    items = [x["itemsRequest"].raw for x in documents]
    count = 0
    for document, bytes_ in zip(documents, items):
        if "readerAuth" not in document: continue
        check(document["readerAuth"], embedded(head(4, 3) + text("ReaderAuthentication") + transcript + bytes_))
        count += 1
    info = request.value["deviceRequestInfo"].raw if "deviceRequestInfo" in request.value else b"\\xf6"
    for signature in request.value["readerAuthAll"].value if "readerAuthAll" in request.value else []:
        check(signature, embedded(head(4, 4) + text("ReaderAuthenticationAll") + transcript
                                  + head(4, len(items)) + b"".join(items) + info))
        count += 1
    assert count == int(read("count")), "%d signatures" % count
    """

/// Checks a certification request in DER: its signature, subject and extensions.
let certificationRequestScript = """
    import sys
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    request = x509.load_der_x509_csr(open(sys.argv[1] + "/request.der", "rb").read())
    assert request.is_signature_valid
    names = {x.oid: x.value for x in request.subject}
    assert names == {NameOID.COUNTRY_NAME: "UT", NameOID.ORGANIZATION_NAME: "K\\u00e4se & Wein",
                     NameOID.COMMON_NAME: "Counter 1"}, names
    usage = request.extensions.get_extension_for_class(x509.KeyUsage)
    assert usage.critical and usage.value.digital_signature and not usage.value.key_cert_sign
    purpose = request.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    assert purpose.critical and [x.dotted_string for x in purpose.value] == ["1.0.18013.5.1.6"]
    """
