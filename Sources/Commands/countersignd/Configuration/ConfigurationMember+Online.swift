extension ConfigurationMember {
    static let online: [Self] = [
        .init(
            "merchants", .list(upTo: 64, of: .object(merchant)), .emptyList,
            "merchants of Verify with Wallet",
            faults: "`must have merchants or web` (at `online`)"),
        .init("web", .object(web), .absent("none"), "pages with the Digital Credentials API"),
        .init("nonces", .object(nonces), .emptyObject, "where nonces are kept"),
    ]

    private static let keys = Self(
        "keys", .list(upTo: 8, of: .path, empty: "must contain at least one file"), .required,
        "private keys on P-256, the newest first, mode 0600",
        faults: "see [Files that it names](#files-that-it-names)")

    private static let merchant: [Self] = [
        .init(
            "name", .text(upTo: 64), .required, "name in requests",
            faults: "`another merchant has this name` (at `online.merchants[N]`)"),
        .init("merchantIdentifier", .text(upTo: 1024, .merchant), .required, "Apple's merchant identifier"),
        .init("teamIdentifier", .text(upTo: 1024, .merchant), .required, "Apple's team identifier"),
        keys,
    ]

    private static let web: [Self] = [
        .init(
            "origins", .list(upTo: 64, of: .text(upTo: 300, .webOrigin)), .required,
            "origins of the pages, and of apps that ask as a page does"),
        keys,
        .init(
            "identity", .text(upTo: 64), .absent("what the rules of `identity choose` say"),
            "reader identity that signs the requests", faults: "not checked at the start"),
    ]

    private static let nonces: [Self] = [
        .init(
            "store", .word(DaemonConfiguration.Online.StoreWord.self), "sqlite",
            "a file in the store's folder, nothing that lasts, or a database for several servers"),
        .init(
            "connection", .path, .absent("**required** with `postgresql`"),
            "file with libpq's settings, mode 0600",
            faults: "`is allowed only with \"store\": \"postgresql\"`"),
        .init("lifetimeSeconds", .whole(30...3600, unit: "seconds"), 300, "how long a nonce may be used"),
        .init("atMost", .whole(100...10_000_000), 100_000, "how many nonces are kept at a time"),
    ]
}
