// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

/// A library target in `Sources/<layer>/<name>`.
func library(_ name: String, in layer: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: strict)
}

/// A test target in `Tests/<layer>/<name>Tests`.
func tests(of name: String, in layer: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name), "VectorFiles"] + dependencies,
        path: "Tests/\(layer)/\(name)Tests", swiftSettings: strict)
}

/// A target in `Tests/Support/<name>`, which several targets of tests and benchmarks share.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: strict)
}

let package = Package(
    name: "countersign",
    products: [
        .executable(name: "countersign", targets: ["countersign"]),
        .executable(name: "countersignd", targets: ["countersignd"]),
        .executable(name: "countersign-hub", targets: ["countersign-hub"]),
        .executable(name: "countersign-lab", targets: ["countersign-lab"]),
        .library(name: "TapToPresent", targets: ["TapToPresent"]),
        .library(name: "ProximityReader", targets: ["ProximityReader"]),
        .executable(name: "countersign-portrait", targets: ["countersign-portrait"]),
    ],
    dependencies: [
        // The command line: parsing, validation and help text.
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        // Diagnostics of the service layer; the core returns values and never logs.
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        // Sockets and file descriptors of the bench link.
        .package(url: "https://github.com/apple/swift-system", .upToNextMinor(from: "1.8.1")),
        // SQLite: what a reader keeps, in one file that several processes share without losing a change.
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        // The parts of hummingbird, named where the servers of daemon and hub set connections, TLS and deadlines.
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
        .package(url: "https://github.com/apple/swift-nio-ssl", .upToNextMinor(from: "2.37.6")),
        // HTTP of the daemon: routes, streaming bodies, graceful end.
        .package(url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.1")),
        .package(url: "https://github.com/apple/swift-http-types", .upToNextMinor(from: "1.8.0")),
        // Long-lived parts of the daemon, started and ended in order.
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle", .upToNextMinor(from: "2.13.0")),
    ],
    targets: [
        // System
        .systemLibrary(
            name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CPCSCLite", path: "Sources/System/CPCSCLite", pkgConfig: "libpcsclite",
            providers: [.apt(["libpcsclite-dev"])]),
        .systemLibrary(
            name: "CSystemdBus", path: "Sources/System/CSystemdBus", pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CBlueZ", path: "Sources/System/CBlueZ", pkgConfig: "bluez",
            providers: [.apt(["libbluetooth-dev"])]),
        // Nonces that several servers share: the header alone, ReaderStore loads the library.
        .systemLibrary(
            name: "CPostgreSQL", path: "Sources/System/CPostgreSQL", providers: [.apt(["libpq-dev"])]),
        // Presence of the kiosks of a chain, and change notices to them.
        .systemLibrary(
            name: "CMosquitto", path: "Sources/System/CMosquitto", pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"])]),
        // Lists, webhooks and hubs over HTTPS: the header alone, HTTPClient loads the library when it is first used.
        .systemLibrary(
            name: "CCurl", path: "Sources/System/CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // What a process says of itself to the kernel, through calls that Swift cannot import.
        .systemLibrary(name: "CProcess", path: "Sources/System/CProcess"),
        // Status lists come compressed (draft-ietf-oauth-status-list, 4.1).
        .systemLibrary(
            name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Whether the kernel's clock is kept right: adjtimex, which Glibc's module leaves out.
        .systemLibrary(name: "CTimex", path: "Sources/System/CTimex"),
        // Portraits in JPEG 2000, and what confines the process that decodes them.
        .systemLibrary(
            name: "COpenJPEG", path: "Sources/System/COpenJPEG", pkgConfig: "libopenjp2",
            providers: [.apt(["libopenjp2-7-dev"])]),
        .systemLibrary(name: "CSeccomp", path: "Sources/System/CSeccomp"),

        // Formats
        library("CBOR", in: "Formats", ["JSON"]),
        library("ISO7816", in: "Formats"),
        library("NDEF", in: "Formats"),
        library("JSON", in: "Formats"),
        library("PortraitImage", in: "Formats"),
        // How one typed error becomes another.
        library("ErrorMapping", in: "Formats"),

        // Cryptography
        library("OpenSSLCrypto", in: "Cryptography", ["COpenSSL"]),
        library("PKIX", in: "Cryptography", ["ErrorMapping", "OpenSSLCrypto"]),
        library("COSE", in: "Cryptography", ["CBOR", "OpenSSLCrypto", "PKIX"]),

        // Mdoc
        library("MdocModel", in: "Mdoc", ["ErrorMapping", "CBOR", "COSE", "JSON", "PortraitImage"]),
        library(
            "MdocSession", in: "Mdoc",
            ["ErrorMapping", "MdocModel", "CBOR", "COSE", "NDEF", "ISO7816", "OpenSSLCrypto"]),
        library(
            "MdocTrust", in: "Mdoc",
            ["ErrorMapping", "MdocModel", "CBOR", "COSE", "JSON", "OpenSSLCrypto", "PKIX", "CZlib"]),
        library(
            "MdocVerification", in: "Mdoc",
            ["MdocModel", "MdocTrust", "CBOR", "COSE", "JSON", "OpenSSLCrypto", "PKIX"]),
        library("RequestPlanner", in: "Mdoc", ["MdocModel", "JSON"]),
        library(
            "WalletPresentation", in: "Mdoc",
            ["ErrorMapping", "MdocModel", "MdocTrust", "MdocVerification", "CBOR", "COSE", "OpenSSLCrypto"]),

        // Transports
        library(
            "Transport", in: "Transports",
            ["NDEF", .product(name: "SystemPackage", package: "swift-system")]),
        library("PCSCTransport", in: "Transports", ["Transport", "CPCSCLite"]),
        library("BlueZTransport", in: "Transports", ["Transport", "NDEF", "CBlueZ", "CSystemdBus"]),

        // Service
        library("HTTPClient", in: "Service", ["OpenSSLCrypto", "Transport", "CCurl"]),
        library(
            "TrustFetch", in: "Service",
            [
                "HTTPClient", "MdocModel", "MdocTrust", "OpenSSLCrypto", "PKIX",
            ]),
        library(
            "ReaderService", in: "Service",
            [
                "ErrorMapping", "MdocModel", "MdocSession", "MdocTrust", "MdocVerification", "RequestPlanner",
                "CBOR", "COSE",
                "NDEF", "ISO7816", "OpenSSLCrypto", "Transport",
            ]),
        library(
            "ReaderStore", in: "Service",
            [
                "ErrorMapping", "MdocModel", "MdocTrust", "MdocVerification", "RequestPlanner",
                "WalletPresentation", "CBOR",
                "COSE", "OpenSSLCrypto", "PKIX", "ReaderIdentityStore", "CPostgreSQL",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),

        library(
            "ReaderIdentityStore", in: "Service",
            [
                "ErrorMapping", "JSON", "MdocModel", "MdocTrust", "COSE", "OpenSSLCrypto", "PKIX",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        library(
            "ReaderTokens", in: "Service",
            [
                "ErrorMapping", "JSON", "MdocModel", "OpenSSLCrypto", "ReaderIdentityStore", "ReaderStore",
            ]),

        library(
            "Reports", in: "Service",
            [
                "JSON", "CBOR", "MdocModel", "MdocSession", "MdocTrust", "MdocVerification",
                "PortraitDecoding", "RequestPlanner", "WalletPresentation", "Transport", "ReaderService",
                "ReaderStore",
            ]),

        library(
            "FieldTrace", in: "Service",
            [
                "CBOR", "ISO7816", "NDEF", "OpenSSLCrypto", "MdocModel", "MdocSession", "MdocTrust",
                "MdocVerification", "RequestPlanner", "Transport", "PCSCTransport", "BlueZTransport",
                "ReaderService", "Reports",
            ]),

        library(
            "PresentationService", in: "Service",
            [
                "ErrorMapping", "CBOR", "HTTPClient", "JSON", "OpenSSLCrypto", "MdocModel", "MdocTrust",
                "MdocVerification", "RequestPlanner", "WalletPresentation", "Transport", "ReaderService",
                "ReaderIdentityStore", "Reports", "ReaderStore", "ReaderTokens", "PortraitDecoding",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        library(
            "HTTPServing", in: "Service",
            [
                "ErrorMapping", "JSON", "MdocModel", "OpenSSLCrypto", "ReaderIdentityStore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "ReaderAPI",
            dependencies: [
                "ErrorMapping", "HTTPServing", "PresentationService", "JSON",
                "OpenSSLCrypto", "MdocModel",
                "MdocTrust",
                "MdocVerification",
                "RequestPlanner", "WalletPresentation", "Transport", "ReaderService", "ReaderIdentityStore",
                "Reports", "ReaderStore", "ReaderTokens", "PortraitImage",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Service/ReaderAPI", resources: [.embedInCode("OpenAPI/openapi.json")],
            swiftSettings: strict),

        // The common parts of the command lines of `countersign` and `countersign-lab`.
        library(
            "CommandLineInterface", in: "Service",
            [
                "BlueZTransport", "CBOR", "COSE", "ErrorMapping", "FieldTrace", "JSON", "MdocModel",
                "MdocSession", "MdocTrust", "MdocVerification", "OpenSSLCrypto", "PCSCTransport", "PKIX",
                "PortraitDecoding", "PortraitImage", "ReaderService", "ReaderStore", "Reports",
                "RequestPlanner", "Transport", "WalletPresentation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),

        library("DaemonClient", in: "Service", ["ErrorMapping", "JSON"]),
        // What the doctors of a reader and of a hub have in common.
        library(
            "Doctor", in: "Service", ["JSON", "MdocModel", "ReaderService", "Transport", "CTimex"]),

        library(
            "TapToPresent", in: "Service",
            [
                "ErrorMapping", "CBOR", "ChildPrograms", "DaemonClient", "JSON", "COSE", "OpenSSLCrypto",
                "PKIX", "MdocModel",
                "MdocTrust", "MdocVerification",
                "PortraitDecoding", "RequestPlanner", "Transport", "PCSCTransport", "BlueZTransport",
                "ReaderService", "ReaderIdentityStore", "ReaderStore", "ReaderTokens", "Reports",
            ]),

        library("ProximityReader", in: "Service", ["TapToPresent"]),

        library("ChildPrograms", in: "Service", ["CProcess"]),

        library("PortraitDecoding", in: "Service", ["ChildPrograms", "PortraitImage", "Transport"]),

        // Fleet: the kiosks of a chain and its hub. A single counter links none of it.
        library(
            "Fleet", in: "Fleet",
            [
                "ErrorMapping", "CBOR", "COSE", "HTTPClient", "JSON", "OpenSSLCrypto", "PKIX", "MdocModel",
                "MdocTrust",
                "ReaderIdentityStore",
                "ReaderStore", "ReaderTokens", "Transport", "CMosquitto",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "FleetHub",
            dependencies: [
                "ErrorMapping", "JSON", "OpenSSLCrypto", "PKIX", "MdocModel", "Fleet", "HTTPServing",
                "ReaderIdentityStore", "ReaderStore", "ReaderTokens", "Transport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Fleet/FleetHub",
            // The look and the care for text from outside are links to those of the daemon's pages.
            resources: ["look.css", "operator.css", "operator.html", "operator.js", "text.js"].map {
                .embedInCode("Page/\($0)")
            },
            swiftSettings: strict),

        // Laboratory: phones in software, their test issuer, and measurements. No program of a shop links any of it.
        .target(
            name: "MdocWallet",
            dependencies: [
                "ErrorMapping", "MdocModel", "MdocSession", "WalletPresentation", "CBOR", "COSE", "NDEF",
                "ISO7816",
                "OpenSSLCrypto", "PKIX",
            ],
            path: "Sources/Laboratory/MdocWallet", resources: [.embedInCode("Resources/portrait.jpg")],
            swiftSettings: strict),
        library(
            "SoftwarePhone", in: "Laboratory",
            [
                "CommandLineInterface", "ErrorMapping", "FieldTrace", "ISO7816", "JSON", "MdocModel",
                "MdocSession", "MdocWallet", "NDEF", "PCSCTransport", "ReaderService", "Reports", "Transport",
            ]),
        // The shortest OpenSSL calls for what `countersign-lab bench` measures, some of which Swift calls deprecated.
        .target(name: "BenchFloor", dependencies: ["COpenSSL"], path: "Sources/Laboratory/BenchFloor"),
        library(
            "TransactionBench", in: "Laboratory",
            [
                "BenchFloor", "CBOR", "COSE", "COpenSSL", "CommandLineInterface", "JSON", "MdocModel",
                "MdocSession", "MdocTrust", "MdocVerification", "OpenSSLCrypto", "PKIX", "ReaderStore",
                "WalletPresentation",
            ]),

        // Commands
        .executableTarget(
            name: "countersignd",
            dependencies: [
                "ErrorMapping", "JSON", "OpenSSLCrypto", "PKIX", "COSE", "MdocModel", "MdocTrust",
                "MdocVerification",
                "RequestPlanner", "WalletPresentation", "Transport", "PCSCTransport", "BlueZTransport",
                "HTTPServing", "PresentationService", "ReaderAPI", "Fleet",
                "ReaderIdentityStore", "Reports",
                "ReaderService", "ReaderStore", "ReaderTokens", "PortraitDecoding", "CProcess", "FieldTrace",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Commands/countersignd", swiftSettings: strict),
        .executableTarget(
            name: "countersign-hub",
            dependencies: [
                "ErrorMapping", "JSON", "OpenSSLCrypto", "PKIX", "MdocModel", "Doctor", "Fleet", "FleetHub",
                "HTTPServing", "ReaderIdentityStore", "ReaderService", "ReaderStore", "ReaderTokens",
                "Reports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Commands/countersign-hub", swiftSettings: strict),
        .executableTarget(
            name: "countersign-portrait",
            dependencies: ["PortraitImage", "COpenJPEG", "CSeccomp", "CZlib"],
            path: "Sources/Commands/countersign-portrait", swiftSettings: strict),
        .executableTarget(
            name: "countersign-lab",
            dependencies: [
                "BlueZTransport", "COSE", "CommandLineInterface", "ErrorMapping", "FieldTrace", "JSON",
                "MdocModel", "MdocSession", "MdocTrust", "MdocVerification", "MdocWallet", "NDEF",
                "OpenSSLCrypto", "PCSCTransport", "PKIX", "Reports", "SoftwarePhone", "TransactionBench",
                "Transport", "WalletPresentation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Commands/countersign-lab", swiftSettings: strict),
        .executableTarget(
            name: "countersign",
            dependencies: [
                "ErrorMapping", "CommandLineInterface",
                "CBOR", "ISO7816", "JSON", "NDEF", "OpenSSLCrypto", "PKIX", "MdocModel",
                "MdocSession",
                "MdocTrust", "MdocVerification", "RequestPlanner", "WalletPresentation",
                "Transport",
                "PCSCTransport", "BlueZTransport", "ReaderService", "ReaderIdentityStore", "Reports",
                "FieldTrace", "ReaderStore", "ReaderTokens", "TrustFetch", "DaemonClient", "Doctor",
                "ChildPrograms", "PortraitDecoding",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Sources/Commands/countersign",
            // What `doctor --fix` writes, as links to the files in Hardware, and what `trust sources` lists.
            resources: [
                "Doctor/Settings/modprobe.conf", "Doctor/Settings/polkit.rules", "Doctor/Settings/udev.rules",
                "Doctor/Settings/main.conf", "Doctor/Settings/bluetooth-unit.conf",
                "Doctor/Settings/dbus.conf", "Doctor/Settings/sysctl.conf", "Trust/published-sources.json",
            ].map { .embedInCode($0) }, swiftSettings: strict),

        // What tests share
        support("VectorFiles"),
        support("Deadlines"),
        support("OtherPrograms"),
        // Runs the command lines, and plays what they ask.
        support(
            "CommandBench", ["COSE", "MdocModel", "OpenSSLCrypto", "OtherPrograms", "WalletPresentation"]),
        support("PCSCBench", ["PCSCTransport", "Transport", "OtherPrograms"]),
        support("BlueZBench", ["Transport", "Deadlines", "OtherPrograms"]),
        support(
            "TestCredentials",
            ["CBOR", "COSE", "MdocModel", "MdocTrust", "OpenSSLCrypto", "PKIX", "WalletPresentation"]),
        support(
            "HTTPSBench",
            [
                "OpenSSLCrypto", "PKIX", "TestCredentials", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        support(
            "PresentationStage",
            [
                "MdocModel", "MdocSession", "MdocTrust", "MdocVerification", "MdocWallet", "CBOR", "COSE",
                "NDEF", "PKIX", "Transport", "BlueZTransport", "ReaderService", "BlueZBench", "PCSCBench",
                "PCSCTransport", "Deadlines",
            ]),
        support(
            "OnlineStage",
            [
                "CBOR", "COSE", "MdocModel", "OpenSSLCrypto", "PKIX", "WalletPresentation", "OtherPrograms",
                "TestCredentials",
            ]),
        support(
            "RecordBench",
            [
                "ReaderStore", "MdocModel", "MdocTrust", "MdocVerification", "CBOR", "RequestPlanner",
                "TestCredentials", .product(name: "Logging", package: "swift-log"),
            ]),
        // Writes what a reader keeps until it is killed.
        .executableTarget(
            name: "RecordWriter",
            dependencies: ["ReaderStore", "MdocModel", "RecordBench", "VectorFiles"],
            path: "Tests/Support/RecordWriter", swiftSettings: strict),

        // Asks on the clerk's page until it is killed.
        .executableTarget(
            name: "PageApp", dependencies: ["TapToPresent", "JSON"], path: "Tests/Support/PageApp",
            swiftSettings: strict),

        // Benchmarks and tests
        .executableTarget(
            name: "OnlineBenchmark",
            dependencies: [
                "OnlineStage", "OtherPrograms", "countersign", "countersign-lab", "countersignd",
            ],
            path: "Tests/Benchmarks/OnlineBenchmark", swiftSettings: strict),
        .executableTarget(
            name: "FleetBenchmark",
            dependencies: [
                "Fleet", "FleetHub", "MdocModel", "ReaderIdentityStore", "ReaderStore", "RecordBench",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Benchmarks/FleetBenchmark", swiftSettings: strict),
        .executableTarget(
            name: "AirBenchmark",
            dependencies: [
                "MdocSession", "MdocWallet", "NDEF", "Transport", "BlueZTransport", "ReaderService",
                "BlueZBench", "Deadlines", "PresentationStage",
            ],
            path: "Tests/Benchmarks/AirBenchmark", swiftSettings: strict),
        .executableTarget(
            name: "LaneBenchmark",
            dependencies: ["MdocWallet", "Transport", "OtherPrograms", "PCSCBench", "PresentationStage"],
            path: "Tests/Benchmarks/LaneBenchmark", swiftSettings: strict),
        .testTarget(
            name: "ArchitectureTests", dependencies: ["VectorFiles", "OpenSSLCrypto"],
            path: "Tests/Architecture",
            swiftSettings: strict),
        tests(of: "CBOR", in: "Formats"),
        tests(of: "ISO7816", in: "Formats"),
        tests(of: "NDEF", in: "Formats"),
        tests(of: "JSON", in: "Formats"),
        tests(of: "PortraitImage", in: "Formats"),
        tests(of: "ErrorMapping", in: "Formats"),
        tests(of: "OpenSSLCrypto", in: "Cryptography", ["COpenSSL", "PKIX", "OtherPrograms"]),
        tests(of: "PKIX", in: "Cryptography", ["OpenSSLCrypto", "TestCredentials"]),
        tests(of: "COSE", in: "Cryptography", ["CBOR", "OpenSSLCrypto", "PKIX"]),
        tests(of: "MdocModel", in: "Mdoc", ["CBOR", "COSE", "OpenSSLCrypto", "PKIX", "PortraitImage"]),
        tests(
            of: "MdocSession", in: "Mdoc", ["MdocModel", "CBOR", "COSE", "NDEF", "ISO7816", "OpenSSLCrypto"]),
        tests(
            of: "MdocTrust", in: "Mdoc",
            ["MdocModel", "CBOR", "COSE", "JSON", "OpenSSLCrypto", "PKIX", "TestCredentials"]),
        tests(
            of: "MdocVerification", in: "Mdoc",
            ["MdocModel", "MdocTrust", "CBOR", "COSE", "OpenSSLCrypto", "PKIX", "TestCredentials"]),
        tests(of: "RequestPlanner", in: "Mdoc", ["MdocModel"]),
        tests(
            of: "WalletPresentation", in: "Mdoc",
            [
                "MdocModel", "MdocTrust", "MdocVerification", "MdocWallet", "CBOR", "COSE", "OpenSSLCrypto",
                "PKIX",
                "TestCredentials",
            ]),
        .testTarget(
            name: "InteropTests",
            dependencies: [
                "CBOR", "COSE", "OpenSSLCrypto", "PKIX", "MdocModel", "MdocSession", "MdocTrust",
                "MdocVerification",
                "MdocWallet", "RequestPlanner", "ReaderService", "Transport", "VectorFiles", "OtherPrograms",
            ],
            path: "Tests/Interop", swiftSettings: strict),
        tests(
            of: "MdocWallet", in: "Laboratory",
            [
                "MdocModel", "MdocSession", "MdocTrust", "MdocVerification", "CBOR", "COSE", "NDEF",
                "ISO7816",
                "OpenSSLCrypto", "PKIX", "RequestPlanner",
            ]),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CBOR", "ISO7816", "NDEF", "JSON", "PortraitImage", "COSE", "OpenSSLCrypto", "PKIX",
                "Fleet", "MdocModel",
                "MdocSession", "MdocTrust", "MdocVerification", "MdocWallet", "ReaderTokens",
                "RequestPlanner", "TestCredentials", "WalletPresentation", "BlueZTransport",
                "PresentationService", "ReaderAPI",
                "ReaderIdentityStore", "Reports", "ReaderStore", "RecordBench", "FieldTrace",
                "CommandLineInterface",
                "countersignd", "countersign-portrait",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Fuzzing/FuzzTargets", swiftSettings: strict),
        .testTarget(
            name: "FuzzingTests",
            dependencies: ["FuzzTargets", "TestCredentials", "VectorFiles", "CBOR", "OpenSSLCrypto", "PKIX"],
            path: "Tests/Fuzzing/FuzzingTests", swiftSettings: strict),
        tests(of: "Transport", in: "Transports", ["Deadlines"]),
        tests(of: "BlueZTransport", in: "Transports", ["Transport", "NDEF", "BlueZBench", "Deadlines"]),
        tests(of: "PCSCTransport", in: "Transports", ["Transport", "PCSCBench", "Deadlines"]),
        tests(
            of: "HTTPClient", in: "Service", ["Deadlines", "HTTPSBench", "OpenSSLCrypto", "TestCredentials"]),
        tests(
            of: "TrustFetch", in: "Service",
            ["MdocModel", "MdocTrust", "PKIX", "Deadlines", "HTTPSBench", "TestCredentials"]),
        tests(
            of: "ReaderService", in: "Service",
            [
                "MdocModel", "MdocSession", "MdocTrust", "MdocVerification", "MdocWallet", "RequestPlanner",
                "CBOR", "COSE", "NDEF", "ISO7816", "OpenSSLCrypto", "PKIX", "Transport", "PCSCTransport",
                "BlueZTransport", "PCSCBench", "BlueZBench", "PresentationStage", "Deadlines",
            ]),
        tests(
            of: "FieldTrace", in: "Service",
            [
                "CBOR", "COSE", "NDEF", "MdocModel", "MdocSession", "MdocVerification", "MdocWallet",
                "PresentationStage", "ReaderService", "Reports", "Transport", "BlueZTransport", "BlueZBench",
                "PCSCBench",
            ]),
        tests(
            of: "PortraitDecoding", in: "Service",
            ["Deadlines", "PortraitImage", "countersign-portrait", "CZlib"]),
        tests(of: "ChildPrograms", in: "Service", []),
        tests(
            of: "Fleet", in: "Fleet",
            [
                "Deadlines", "HTTPSBench", "JSON", "MdocModel", "MdocTrust", "OpenSSLCrypto",
                "ReaderStore", "ReaderTokens", "RecordBench", "TestCredentials",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            of: "FleetHub", in: "Fleet",
            [
                "CBOR", "Deadlines", "Fleet", "JSON", "MdocModel", "OpenSSLCrypto", "HTTPServing", "PKIX",
                "ReaderIdentityStore", "ReaderStore", "ReaderTokens", "RecordBench", "Transport",
                "countersignd",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        tests(
            of: "ReaderIdentityStore", in: "Service",
            ["MdocModel", "MdocTrust", "COSE", "OpenSSLCrypto", "PKIX", "TestCredentials"]),
        tests(
            of: "ReaderStore", in: "Service",
            [
                "MdocModel", "MdocTrust", "MdocVerification", "RequestPlanner", "CBOR", "COSE",
                "OpenSSLCrypto", "OtherPrograms", "ReaderIdentityStore", "TestCredentials", "RecordBench",
                "RecordWriter", "WalletPresentation",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(
            of: "ReaderTokens", in: "Service",
            [
                "JSON", "MdocModel", "OpenSSLCrypto", "PKIX", "OtherPrograms", "ReaderIdentityStore",
                "ReaderStore",
                "TestCredentials",
            ]),
        tests(
            of: "TapToPresent", in: "Service",
            [
                "COSE", "Deadlines", "JSON", "OpenSSLCrypto", "PKIX", "MdocModel", "MdocSession", "MdocTrust",
                "MdocVerification",
                "MdocWallet", "OtherPrograms", "PageApp", "ProximityReader", "ReaderService", "ReaderStore",
                "ReaderTokens", "Reports",
                "RequestPlanner", "countersign-portrait",
                "Transport", "PresentationStage", "BlueZBench", "PCSCBench",
            ]),
        tests(of: "HTTPServing", in: "Service"),
        tests(
            of: "PresentationService", in: "Service",
            [
                "COSE", "Deadlines", "JSON", "MdocModel", "MdocSession", "MdocTrust", "MdocVerification",
                "MdocWallet", "OpenSSLCrypto", "OtherPrograms", "PKIX", "PortraitDecoding",
                "PresentationStage", "ReaderIdentityStore", "ReaderService", "ReaderStore", "RecordBench",
                "Reports", "RequestPlanner", "TestCredentials", "Transport", "WalletPresentation",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            of: "ReaderAPI", in: "Service",
            [
                "CBOR", "COSE", "MdocModel", "MdocTrust", "MdocVerification", "OpenSSLCrypto",
                "PKIX", "HTTPServing", "PresentationService", "OtherPrograms", "PortraitDecoding", "JSON",
                "ReaderService", "ReaderStore", "ReaderTokens", "RecordBench", "RequestPlanner",
                "TestCredentials", "WalletPresentation",
                "countersign-portrait",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            of: "countersignd", in: "Commands",
            [
                "countersign", "countersign-lab", "FieldTrace", "Fleet", "JSON", "OpenSSLCrypto",
                "OtherPrograms", "PresentationService", "ReaderAPI",
                "ReaderIdentityStore", "ReaderService", "ReaderTokens", "Reports", "ReaderStore",
                "MdocModel", "MdocWallet", "OnlineStage", "PKIX",
                "PCSCBench", "BlueZBench", "Deadlines", "HTTPSBench", "PresentationStage", "TestCredentials",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            of: "countersign-hub", in: "Commands",
            [
                "countersign", "Doctor", "Fleet", "FleetHub", "JSON", "MdocModel", "OpenSSLCrypto",
                "OtherPrograms", "PKIX", "ReaderIdentityStore", "ReaderStore", "ReaderTokens",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        tests(
            of: "countersign-lab", in: "Commands",
            [
                "CommandBench", "FieldTrace", "MdocModel", "MdocSession", "MdocWallet", "OtherPrograms",
                "PCSCBench", "ReaderService", "Reports", "Transport", "WalletPresentation", "countersign",
            ]),
        tests(
            of: "countersign", in: "Commands",
            [
                "CommandBench", "CommandLineInterface", "Doctor", "OtherPrograms", "countersign-lab",
                "CBOR", "COSE", "JSON", "OpenSSLCrypto", "PKIX", "MdocModel", "MdocSession", "MdocTrust",
                "MdocVerification",
                "MdocWallet", "NDEF", "RequestPlanner", "WalletPresentation", "Transport",
                "BlueZTransport",
                "PCSCBench", "BlueZBench", "HTTPSBench", "Reports", "ReaderService", "PCSCTransport",
                "ReaderStore",
                "ReaderIdentityStore", "RecordBench", "TestCredentials",
                "FieldTrace", "PortraitDecoding", "countersign-portrait",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
    ]
)

// libFuzzer brings its own `main`, so its executable is there only while Hardware/fuzz builds it. SwiftPM links a command
// into nothing but tests; meanwhile the commands are libraries, and each `main` of theirs has another name.
if Context.environment["COUNTERSIGN_FUZZ"] != nil {
    package.products = [.executable(name: "countersign-fuzz", targets: ["Fuzzer"])]
    package.targets = package.targets.filter { $0.type != .test }.map { target in
        guard target.path?.hasPrefix("Sources/Commands/") == true else { return target }
        let main = ["-entry-point-function-name", "\(target.name)_main"].flatMap { ["-Xfrontend", $0] }
        return .target(
            name: target.name, dependencies: target.dependencies, path: target.path,
            resources: target.resources, swiftSettings: strict + [.unsafeFlags(main)])
    }
    package.targets.append(
        .executableTarget(
            name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Fuzzer", swiftSettings: strict
        ))
}

// The plugin is there only while Hardware/soak --documentation uses it: nothing that runs needs it.
if Context.environment["COUNTERSIGN_DOCUMENTATION"] != nil {
    package.dependencies.append(
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
