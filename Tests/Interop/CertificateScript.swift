/// Makes certificates and CRLs with Python's cryptography, and says what is in them: `facts.json`, a list with one object for
/// each file. Every fifth file has one bit flipped; of those it is said whether Python reads them and the signature holds.
let certificateScript = #"""
    import datetime, json, random, sys, warnings
    warnings.simplefilter("ignore")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, ed448, padding, rsa
    from cryptography.x509.oid import NameOID

    folder = sys.argv[1]
    chance = random.Random(18013)
    epoch = datetime.datetime(1970, 1, 1)
    curves = [ec.SECP256R1, ec.SECP384R1, ec.SECP521R1, ec.BrainpoolP256R1, ec.BrainpoolP384R1, ec.BrainpoolP512R1]
    issuers = [ec.generate_private_key(curve()) for curve in curves]
    issuers += [ed25519.Ed25519PrivateKey.generate(), ed448.Ed448PrivateKey.generate()]
    issuers += [rsa.generate_private_key(65537, 2048)]
    names = ["Utopia", "Ütopia", "a, b", " c  d ", "#x", "日本"]

    def digest(key):
        if isinstance(key, (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey)): return None
        return chance.choice([hashes.SHA256(), hashes.SHA384(), hashes.SHA512()])

    def name():
        parts = [x509.NameAttribute(NameOID.COUNTRY_NAME, chance.choice(["UT", "XX"]))]
        if chance.random() < 0.5: parts.append(x509.NameAttribute(NameOID.STATE_OR_PROVINCE_NAME, chance.choice(names)))
        if chance.random() < 0.9: parts.append(x509.NameAttribute(NameOID.COMMON_NAME, chance.choice(names)))
        return x509.Name(parts)

    def moment():
        years = chance.choice([1955, 1999, 2024, 2049, 2050, 2099])
        return datetime.datetime(years, chance.randint(1, 12), chance.randint(1, 28), chance.randint(0, 23),
            chance.randint(0, 59), chance.randint(0, 59))

    def usages():
        bits = [chance.random() < 0.4 for _ in range(7)]
        if not any(bits): bits[0] = True
        return bits

    def oids():
        known = ["1.0.18013.5.1.2", "1.0.18013.5.1.6", "1.0.18013.5.1.8", "1.3.6.1.5.5.7.3.1", "2.5.29.37.0"]
        return chance.sample(known, chance.randint(1, 3))

    def certificate(key):
        start, end = sorted([moment(), moment() + datetime.timedelta(days=1)])
        serial = chance.getrandbits(chance.choice([7, 8, 63, 64, 127, 159])) | 1
        facts = {"kind": "certificate", "serial": "%x" % serial}
        made = x509.CertificateBuilder().serial_number(serial).issuer_name(name()).subject_name(name())
        made = made.not_valid_before(start).not_valid_after(end).public_key(chance.choice(issuers[:6]).public_key())
        facts["start"], facts["end"] = [int((t - epoch).total_seconds()) for t in (start, end)]
        if chance.random() < 0.7:
            ca = chance.random() < 0.5
            length = chance.choice([None, 0, 3]) if ca else None
            facts["ca"], facts["pathLength"] = ca, length
            made = made.add_extension(x509.BasicConstraints(ca, length), chance.random() < 0.5)
        if chance.random() < 0.7:
            bits = usages()
            facts["usage"] = sum(1 << n for n, bit in enumerate(bits) if bit)
            made = made.add_extension(x509.KeyUsage(*bits, False, False), chance.random() < 0.5)
        if chance.random() < 0.7:
            facts["purposes"] = oids()
            purposes = [x509.ObjectIdentifier(oid) for oid in facts["purposes"]]
            made = made.add_extension(x509.ExtendedKeyUsage(purposes), chance.random() < 0.5)
        if chance.random() < 0.7:
            identifier = chance.randbytes(20)
            facts["ski"] = identifier.hex()
            made = made.add_extension(x509.SubjectKeyIdentifier(identifier), False)
        if chance.random() < 0.7:
            identifier = chance.randbytes(20)
            facts["aki"] = identifier.hex()
            made = made.add_extension(x509.AuthorityKeyIdentifier(identifier, None, None), False)
        if chance.random() < 0.7:
            facts["points"] = ["https://u.example/%d" % n for n in range(chance.randint(1, 3))]
            made = made.add_extension(x509.CRLDistributionPoints([
                x509.DistributionPoint([x509.UniformResourceIdentifier(uri)], None, None, None)
                for uri in facts["points"]]), False)
        return made.sign(key, digest(key)), facts

    def revocations(key):
        start = moment()
        end = start + datetime.timedelta(days=chance.randint(1, 90))
        number = chance.getrandbits(chance.choice([7, 8, 64, 150]))
        facts = {"kind": "crl", "number": "%x" % number, "entries": {}}
        facts["start"], facts["end"] = [int((t - epoch).total_seconds()) for t in (start, end)]
        made = x509.CertificateRevocationListBuilder().issuer_name(name()).last_update(start).next_update(end)
        made = made.add_extension(x509.CRLNumber(number), False)
        reasons = [None, (1, x509.ReasonFlags.key_compromise), (4, x509.ReasonFlags.superseded),
            (6, x509.ReasonFlags.certificate_hold), (9, x509.ReasonFlags.privilege_withdrawn)]
        for _ in range(chance.choice([0, 1, 5, 60])):
            serial = chance.getrandbits(chance.choice([8, 63, 64, 127, 159])) | 1
            if "%x" % serial in facts["entries"]: continue
            reason = chance.choice(reasons)
            entry = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(start)
            if reason: entry = entry.add_extension(x509.CRLReason(reason[1]), False)
            facts["entries"]["%x" % serial] = reason[0] if reason else 0
            made = made.add_revoked_certificate(entry.build())
        return made.sign(key, digest(key)), facts

    def holds(kind, der, key):
        try:
            read = (x509.load_der_x509_certificate if kind == "certificate" else x509.load_der_x509_crl)(der)
            public = key.public_key()
            signed = read.tbs_certificate_bytes if kind == "certificate" else read.tbs_certlist_bytes
            hashing = read.signature_hash_algorithm
            if isinstance(key, ec.EllipticCurvePrivateKey): public.verify(read.signature, signed, ec.ECDSA(hashing))
            elif isinstance(key, rsa.RSAPrivateKey): public.verify(read.signature, signed, padding.PKCS1v15(), hashing)
            else: public.verify(read.signature, signed)
            return True
        except Exception:
            return False

    facts = []
    for number in range(240):
        index = number % len(issuers)
        key = issuers[index]
        made, fact = (revocations if number % 4 == 3 else certificate)(key)
        der = bytearray(made.public_bytes(serialization.Encoding.DER))
        fact["flipped"] = number % 5 == 4
        if fact["flipped"]:
            place = chance.randrange(len(der))
            der[place] ^= 1 << chance.randrange(8)
        fact["holds"], fact["issuer"], fact["file"] = holds(fact["kind"], bytes(der), key), index, "%d.der" % number
        open(folder + "/" + fact["file"], "wb").write(bytes(der))
        facts.append(fact)
    for index, key in enumerate(issuers):
        info = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        open(folder + "/issuer-%d.der" % index, "wb").write(info)
    json.dump(facts, open(folder + "/facts.json", "w"))
    """#
