// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

/// Targets in the order of their folder, each with what it imports.
typealias Imports = KeyValuePairs<String, [Target.Dependency]>

// Modules of other packages.
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let serviceLifecycle: Target.Dependency = .product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")

/// Modules of C libraries, with the name of each for pkg-config and the Debian package that has its header.
let systemLibraries: [Target] = [
    system("COpenSSL", pkgConfig: "libcrypto", from: "libssl-dev"),
    system("CPCSCLite", pkgConfig: "libpcsclite", from: "libpcsclite-dev"),
    system("CSystemdBus", pkgConfig: "libsystemd", from: "libsystemd-dev"),
    system("CBlueZ", pkgConfig: "bluez", from: "libbluetooth-dev"),
    // Nonces that several servers share: the header alone, ReaderStore loads the library.
    system("CPostgreSQL", from: "libpq-dev"),
    // The brokers of a chain of shops and of Home Assistant.
    system("CMosquitto", pkgConfig: "libmosquitto", from: "libmosquitto-dev"),
    // Lists, webhooks and hubs over HTTPS: the header alone, HTTPClient loads the library when it is first used.
    system("CCurl", from: "libcurl4-openssl-dev"),
    // Calls for the process itself that Swift cannot import.
    system("CProcess"),
    // Serial lines, keyboards, HID devices, GPIO lines and cameras: the ioctls that Swift cannot import.
    system("CAccessoryDevices"),
    // Status lists come compressed (draft-ietf-oauth-status-list, 4.1).
    system("CZlib", pkgConfig: "zlib", from: "zlib1g-dev"),
    // Whether the kernel's clock is kept right: adjtimex, which Glibc's module leaves out.
    system("CTimex"),
    // QR codes of page addresses in a terminal.
    system("CQREncode", pkgConfig: "libqrencode", from: "libqrencode-dev"),
    // Portraits in JPEG 2000, and what confines the process that decodes them.
    system("COpenJPEG", pkgConfig: "libopenjp2", from: "libopenjp2-7-dev"),
    system("CSeccomp"),
]

/// The libraries of each folder, from the lowest layer, with what each imports.
let libraries: KeyValuePairs<String, Imports> = [
    "Sources/System": [
        // QR codes in frames of a camera. A shim, because ZXing (libzxing-dev) is written in C++.
        "CZXing": []
    ],
    "Sources/Formats": [
        "CBOR": ["JSON"],
        "ISO7816": [],
        "NDEF": [],
        "JSON": [],
        "PortraitImage": [],
        // A camera's picture, as one program sends it to another.
        "GreyFrames": [],
        // How one typed error becomes another.
        "ErrorMapping": [],
    ],
    "Sources/Cryptography": [
        "OpenSSLCrypto": ["COpenSSL"],
        "PKIX": ["ErrorMapping", "OpenSSLCrypto"],
        "COSE": ["CBOR", "OpenSSLCrypto", "PKIX"],
    ],
    "Sources/Mdoc": [
        "MdocModel": ["CBOR", "COSE", "ErrorMapping", "JSON", "PortraitImage"],
        "MdocSession": ["CBOR", "COSE", "ErrorMapping", "ISO7816", "MdocModel", "NDEF", "OpenSSLCrypto"],
        "MdocTrust": ["CBOR", "COSE", "CZlib", "ErrorMapping", "JSON", "MdocModel", "OpenSSLCrypto", "PKIX"],
        "MdocVerification": ["CBOR", "COSE", "JSON", "MdocModel", "MdocTrust", "OpenSSLCrypto", "PKIX"],
        "RequestPlanner": ["JSON", "MdocModel"],
        "WalletPresentation": [
            "CBOR", "COSE", "ErrorMapping", "MdocModel", "MdocTrust", "MdocVerification", "OpenSSLCrypto",
        ],
    ],
    "Sources/Transports": [
        "Transport": ["NDEF", systemPackage],
        "PCSCTransport": ["CPCSCLite", "Transport"],
        "BlueZTransport": ["CBlueZ", "CSystemdBus", "NDEF", "Transport"],
    ],
    "Sources/Service": [
        "HTTPClient": ["CCurl", "OpenSSLCrypto", "Transport"],
        "TrustFetch": ["HTTPClient", "MdocModel", "MdocTrust", "OpenSSLCrypto", "PKIX"],
        "ReaderService": [
            "CBOR", "COSE", "ErrorMapping", "ISO7816", "MdocModel", "MdocSession", "MdocTrust",
            "MdocVerification", "NDEF", "OpenSSLCrypto", "RequestPlanner", "Transport",
        ],
        "ReaderStore": [
            "CBOR", "COSE", "CPostgreSQL", "ErrorMapping", "MdocModel", "MdocTrust", "MdocVerification",
            "OpenSSLCrypto", "PKIX", "ReaderIdentityStore", "RequestPlanner", "WalletPresentation", grdb,
        ],
        "ReaderIdentityStore": [
            "COSE", "ErrorMapping", "FileAccess", "JSON", "MdocModel", "MdocTrust", "OpenSSLCrypto", "PKIX",
            systemPackage,
        ],
        // Whose files are trusted.
        "FileAccess": [],
        "ReaderTokens": [
            "ErrorMapping", "JSON", "MdocModel", "OpenSSLCrypto", "ReaderIdentityStore", "ReaderStore",
        ],
        "Reports": [
            "CBOR", "JSON", "MdocModel", "MdocSession", "MdocTrust", "MdocVerification", "PortraitDecoding",
            "ReaderService", "ReaderStore", "RequestPlanner", "Transport", "WalletPresentation",
        ],
        "FieldTrace": [
            "BlueZTransport", "CBOR", "ISO7816", "MdocModel", "MdocSession", "MdocTrust", "MdocVerification",
            "NDEF", "OpenSSLCrypto", "PCSCTransport", "ReaderService", "Reports", "RequestPlanner",
            "Transport", "VersionNumber",
        ],
        "PresentationService": [
            "Accessories", "CBOR", "ErrorMapping", "HTTPClient", "JSON", "MdocModel", "MdocTrust",
            "MdocVerification",
            "OpenSSLCrypto", "PortraitDecoding", "ReaderIdentityStore", "ReaderService", "ReaderStore",
            "ReaderTokens", "Reports", "RequestPlanner", "Transport", "WalletPresentation", logging,
            serviceLifecycle, "VersionNumber",
        ],
        "HTTPServing": [
            "ErrorMapping", "JSON", "MdocModel", "OpenSSLCrypto", "ReaderIdentityStore", httpTypes,
            hummingbird, hummingbirdCore, logging, nioCore, nioHTTP1, nioPosix, nioSSL, nioTLS,
            serviceLifecycle,
        ],
        "ReaderAPI": [
            "Accessories", "ErrorMapping", "HTTPServing", "JSON", "MdocModel", "MdocTrust",
            "MdocVerification",
            "OpenSSLCrypto", "PortraitImage", "PresentationService", "ReaderIdentityStore", "ReaderService",
            "ReaderStore", "ReaderTokens", "Reports", "RequestPlanner", "Transport", "WalletPresentation",
            httpTypes, hummingbird, hummingbirdCore, logging, nioCore, nioHTTP1, serviceLifecycle,
            "VersionNumber",
        ],
        // The common parts of the command lines of `countersign` and `countersign-lab`.
        "CommandLineInterface": [
            "BlueZTransport", "CBOR", "COSE", "ErrorMapping", "FieldTrace", "JSON", "MdocModel",
            "MdocSession", "MdocTrust", "MdocVerification", "OpenSSLCrypto", "PCSCTransport", "PKIX",
            "PortraitDecoding", "PortraitImage", "ReaderService", "ReaderStore", "Reports", "RequestPlanner",
            "Transport", "WalletPresentation", argumentParser, systemPackage, "VersionNumber",
        ],
        "DaemonClient": ["ErrorMapping", "JSON"],
        "VersionNumber": [],
        // The common parts of the doctors of a reader and of a hub.
        "Doctor": ["CTimex", "JSON", "MdocModel", "ReaderService", "Transport"],
        "TapToPresent": [
            "BlueZTransport", "CBOR", "ChildPrograms", "COSE", "DaemonClient", "ErrorMapping", "JSON",
            "MdocModel", "MdocTrust", "MdocVerification", "OpenSSLCrypto", "PCSCTransport", "PKIX",
            "PortraitDecoding", "ReaderIdentityStore", "ReaderService", "ReaderStore", "ReaderTokens",
            "Reports", "RequestPlanner", "Transport",
        ],
        "ProximityReader": ["TapToPresent"],
        "ChildPrograms": ["CProcess"],
        "PortraitDecoding": ["ChildPrograms", "ErrorMapping", "PortraitImage", "Transport"],
        // What confines a process that decodes bytes of strangers.
        "DecoderConfinement": ["CSeccomp"],
        // The forms of a configuration file: reading, faults, JSON Schema and reference.
        "ConfigurationForms": ["JSON"],
        // Scanners, keys, contacts and panels as values and machines, without devices and clock.
        "Accessories": ["ConfigurationForms", "ErrorMapping", "JSON", "OpenSSLCrypto"],
        // The devices of accessories: serial lines, keyboards, HID devices, GPIO lines, cameras.
        "AccessoryDevices": ["Accessories", "CAccessoryDevices", "ChildPrograms", "GreyFrames"],
        // Connections to MQTT brokers. At a counter without a chain, only `countersign-accessories` makes them.
        "MQTTClient": ["CMosquitto", "Transport"],
    ],
    // The kiosks of a chain and its hub. A single counter links none of it.
    "Sources/Fleet": [
        "Fleet": [
            "CBOR", "COSE", "ErrorMapping", "HTTPClient", "JSON", "MdocModel", "MdocTrust", "MQTTClient",
            "OpenSSLCrypto", "PKIX", "ReaderIdentityStore", "ReaderStore", "ReaderTokens", logging,
        ],
        "FleetHub": [
            "ErrorMapping", "Fleet", "HTTPServing", "JSON", "MdocModel", "MQTTClient", "OpenSSLCrypto",
            "PKIX", "ReaderIdentityStore", "ReaderStore", "ReaderTokens", "Transport", httpTypes, hummingbird,
            hummingbirdCore, logging, nioCore, nioSSL, serviceLifecycle,
        ],
    ],
    // Phones in software, their test issuer, and measurements. No program of a shop links any of it.
    "Sources/Laboratory": [
        "MdocWallet": [
            "CBOR", "COSE", "ErrorMapping", "ISO7816", "MdocModel", "MdocSession", "NDEF", "OpenSSLCrypto",
            "PKIX", "WalletPresentation",
        ],
        "SoftwarePhone": [
            "CommandLineInterface", "ErrorMapping", "FieldTrace", "ISO7816", "JSON", "MdocModel",
            "MdocSession", "MdocWallet", "NDEF", "PCSCTransport", "ReaderService", "Reports", "Transport",
        ],
        // The shortest OpenSSL calls for what `countersign-lab bench` measures, some of which Swift calls deprecated.
        "BenchFloor": ["COpenSSL"],
        "TransactionBench": [
            "BenchFloor", "CBOR", "CommandLineInterface", "COpenSSL", "COSE", "JSON", "MdocModel",
            "MdocSession", "MdocTrust", "MdocVerification", "OpenSSLCrypto", "PKIX", "ReaderStore",
            "WalletPresentation",
        ],
    ],
    // Code that several targets of tests and benchmarks share.
    "Tests/Support": [
        "VectorFiles": [],
        "Deadlines": [],
        "OtherPrograms": [],
        "SerialBench": ["Deadlines"],
        // Runs the command lines, and plays what they ask.
        "CommandBench": ["COSE", "MdocModel", "OpenSSLCrypto", "OtherPrograms", "WalletPresentation"],
        "PCSCBench": ["OtherPrograms", "PCSCTransport", "Transport"],
        "BlueZBench": ["Deadlines", "OtherPrograms", "Transport"],
        "TestCredentials": [
            "CBOR", "COSE", "MdocModel", "MdocTrust", "OpenSSLCrypto", "PKIX", "WalletPresentation",
        ],
        "HTTPSBench": ["OpenSSLCrypto", "PKIX", "TestCredentials", nioCore, nioPosix, nioSSL],
        "PresentationStage": [
            "BlueZBench", "BlueZTransport", "CBOR", "COSE", "Deadlines", "MdocModel", "MdocSession",
            "MdocTrust", "MdocVerification", "MdocWallet", "NDEF", "PCSCBench", "PCSCTransport", "PKIX",
            "ReaderService", "Transport",
        ],
        "OnlineStage": [
            "CBOR", "COSE", "MdocModel", "OpenSSLCrypto", "OtherPrograms", "PKIX", "TestCredentials",
            "WalletPresentation",
        ],
        "RecordBench": [
            "CBOR", "MdocModel", "MdocTrust", "MdocVerification", "ReaderStore", "RequestPlanner",
            "TestCredentials", logging,
        ],
    ],
    "Tests/Fuzzing": [
        "FuzzTargets": [
            "Accessories", "BlueZTransport", "CBOR", "CommandLineInterface", "ConfigurationForms", "COSE",
            "countersign-portrait",
            "countersignd", "FieldTrace", "Fleet", "ISO7816", "JSON", "MdocModel", "MdocSession", "MdocTrust",
            "MdocVerification", "MdocWallet", "NDEF", "OpenSSLCrypto", "PKIX", "PortraitImage",
            "PresentationService", "ReaderAPI", "ReaderIdentityStore", "ReaderStore", "ReaderTokens",
            "RecordBench", "Reports", "RequestPlanner", "TestCredentials", "WalletPresentation", grdb,
        ]
    ],
]

/// The programs of each folder, with what each imports.
let programs: KeyValuePairs<String, Imports> = [
    "Sources/Commands": [
        "countersignd": [
            "Accessories", "BlueZTransport", "COSE", "CProcess", "ChildPrograms", "ConfigurationForms",
            "ErrorMapping",
            "FieldTrace", "Fleet", "HTTPServing", "JSON", "MdocModel", "MdocTrust", "MdocVerification",
            "OpenSSLCrypto",
            "PCSCTransport", "PKIX", "PortraitDecoding", "PresentationService", "ReaderAPI",
            "ReaderIdentityStore", "ReaderService",
            "ReaderStore", "ReaderTokens", "Reports", "RequestPlanner", "Transport", "WalletPresentation",
            argumentParser, logging, serviceLifecycle, systemPackage, unixSignals, "VersionNumber",
        ],
        "countersign-hub": [
            "Doctor", "ErrorMapping", "Fleet", "FleetHub", "HTTPServing", "JSON", "MdocModel",
            "OpenSSLCrypto", "PKIX", "ReaderIdentityStore", "ReaderService", "ReaderStore", "ReaderTokens",
            "Reports", argumentParser, logging, serviceLifecycle, unixSignals, "VersionNumber",
        ],
        "countersign-accessories": [
            "Accessories", "AccessoryDevices", "ChildPrograms", "ConfigurationForms", "DaemonClient",
            "FileAccess", "GreyFrames", "JSON", "MQTTClient", "Transport", argumentParser, "VersionNumber",
        ],
        "countersign-portrait": ["COpenJPEG", "CZlib", "DecoderConfinement", "PortraitImage"],
        "countersign-qrcode": ["CZXing", "DecoderConfinement", "GreyFrames"],
        "countersign-lab": [
            "BlueZTransport", "CommandLineInterface", "COSE", "ErrorMapping", "FieldTrace", "JSON",
            "MdocModel", "MdocSession", "MdocTrust", "MdocVerification", "MdocWallet", "NDEF",
            "OpenSSLCrypto", "PCSCTransport", "PKIX", "ReaderIdentityStore", "Reports", "SoftwarePhone",
            "TransactionBench", "Transport", "WalletPresentation", argumentParser,
        ],
        "countersign": [
            "Accessories", "AccessoryDevices", "BlueZTransport", "CBOR", "ChildPrograms",
            "CommandLineInterface", "ConfigurationForms", "CQREncode", "DaemonClient",
            "Doctor", "ErrorMapping", "FieldTrace", "ISO7816", "JSON", "MdocModel", "MdocSession",
            "MdocTrust",
            "MdocVerification", "NDEF", "OpenSSLCrypto", "PCSCTransport", "PKIX", "PortraitDecoding",
            "ReaderIdentityStore", "ReaderService", "ReaderStore", "ReaderTokens", "Reports",
            "RequestPlanner", "Transport", "TrustFetch", "WalletPresentation", argumentParser, systemPackage,
        ],
    ],
    "Tests/Support": [
        // Writes what a reader keeps until it is killed.
        "RecordWriter": ["MdocModel", "ReaderStore", "RecordBench", "VectorFiles"],
        // Asks on the clerk's page until it is killed.
        "PageApp": ["JSON", "TapToPresent"],
    ],
    "Tests/Benchmarks": [
        "OnlineBenchmark": [
            "countersign", "countersign-lab", "countersignd", "OnlineStage", "OtherPrograms",
        ],
        "FleetBenchmark": [
            "Fleet", "FleetHub", "MdocModel", "ReaderIdentityStore", "ReaderStore", "RecordBench", logging,
        ],
        "AirBenchmark": [
            "BlueZBench", "BlueZTransport", "Deadlines", "MdocSession", "MdocWallet", "NDEF",
            "PresentationStage", "ReaderService", "Transport",
        ],
        "LaneBenchmark": ["MdocWallet", "OtherPrograms", "PCSCBench", "PresentationStage", "Transport"],
    ],
]

/// The tests of each folder. A key is the target under test: its tests have its imports, and those of the list.
let tests: KeyValuePairs<String, Imports> = [
    "Tests/Formats": [
        "CBOR": [],
        "GreyFrames": [],
        "ISO7816": [],
        "NDEF": [],
        "JSON": [],
        "PortraitImage": [],
        "ErrorMapping": [],
    ],
    "Tests/Cryptography": [
        "OpenSSLCrypto": ["OtherPrograms", "PKIX"],
        "PKIX": ["TestCredentials"],
        "COSE": [],
    ],
    "Tests/Mdoc": [
        "MdocModel": ["OpenSSLCrypto", "PKIX"],
        "MdocSession": [],
        "MdocTrust": ["TestCredentials"],
        "MdocVerification": ["TestCredentials"],
        "RequestPlanner": [],
        "WalletPresentation": ["MdocWallet", "PKIX", "TestCredentials"],
    ],
    "Tests/Transports": [
        "Transport": ["Deadlines"],
        "BlueZTransport": ["BlueZBench", "Deadlines"],
        "PCSCTransport": ["Deadlines", "PCSCBench"],
    ],
    "Tests/Service": [
        "HTTPClient": ["Deadlines", "HTTPSBench", "TestCredentials"],
        "TrustFetch": ["Deadlines", "HTTPSBench", "TestCredentials"],
        "ReaderService": [
            "BlueZBench", "BlueZTransport", "Deadlines", "MdocWallet", "PCSCBench", "PCSCTransport", "PKIX",
            "PresentationStage",
        ],
        "FieldTrace": ["BlueZBench", "COSE", "MdocWallet", "PCSCBench", "PresentationStage"],
        "PortraitDecoding": ["countersign-portrait", "CZlib", "Deadlines"],
        "ChildPrograms": [],
        "Accessories": [],
        "AccessoryDevices": [
            "countersign-qrcode", "CQREncode", "Deadlines", "JSON", "OtherPrograms", "SerialBench",
        ],
        "DaemonClient": [],
        "MQTTClient": [
            "Accessories", "Deadlines", "JSON", "OpenSSLCrypto", "OtherPrograms", "PKIX", "TestCredentials",
        ],
        "ReaderIdentityStore": ["TestCredentials"],
        "FileAccess": [],
        "ReaderStore": ["OtherPrograms", "RecordBench", "RecordWriter", "TestCredentials"],
        "ReaderTokens": ["OtherPrograms", "PKIX", "TestCredentials"],
        "TapToPresent": [
            "BlueZBench", "countersign-portrait", "Deadlines", "MdocSession", "MdocWallet", "OtherPrograms",
            "PageApp", "PCSCBench", "PresentationStage", "ProximityReader",
        ],
        "HTTPServing": [],
        "PresentationService": [
            "COSE", "Deadlines", "MdocSession", "MdocWallet", "OtherPrograms", "PKIX", "PresentationStage",
            "RecordBench", "TestCredentials", grdb,
        ],
        "ReaderAPI": [
            "CBOR", "COSE", "countersign-portrait", "OtherPrograms", "PKIX", "PortraitDecoding",
            "RecordBench", "TestCredentials",
        ],
    ],
    "Tests/Fleet": [
        "Fleet": ["Deadlines", "HTTPSBench", "RecordBench", "TestCredentials", grdb],
        "FleetHub": ["CBOR", "countersignd", "Deadlines", "RecordBench", nioPosix],
    ],
    "Tests/Laboratory": [
        "MdocWallet": ["MdocTrust", "MdocVerification", "RequestPlanner"]
    ],
    "Tests/Commands": [
        "countersignd": [
            "BlueZBench", "countersign", "countersign-lab", "Deadlines", "HTTPSBench", "MdocWallet",
            "OnlineStage", "OtherPrograms", "PCSCBench", "PresentationStage", "TestCredentials", grdb,
        ],
        "countersign-hub": ["countersign", "OtherPrograms"],
        "countersign-accessories": [
            "BlueZBench", "countersign", "countersign-lab", "countersignd", "Deadlines", "MdocModel",
            "OtherPrograms", "PCSCBench", "PresentationStage", "SerialBench",
        ],
        "countersign-lab": [
            "CommandBench", "countersign", "OtherPrograms", "PCSCBench", "ReaderService", "VersionNumber",
        ],
        "countersign": [
            "BlueZBench", "CommandBench", "COSE", "countersign-lab", "countersign-portrait", "HTTPSBench",
            "MdocWallet", "OtherPrograms", "PCSCBench", "RecordBench", "TestCredentials", "VersionNumber",
            grdb,
        ],
    ],
    "Tests/Fuzzing": [
        "Fuzzing": ["CBOR", "FuzzTargets", "OpenSSLCrypto", "PKIX", "TestCredentials"]
    ],
]

/// Files that are embedded in a target's code.
let resources: [String: [String]] = [
    "MdocWallet": ["Resources/portrait.jpg"],
    "ReaderAPI": ["OpenAPI/openapi.json"],
    // All but the operator's own files and texts are links to files of the daemon's pages.
    "FleetHub": [
        "elements.js", "look.css", "operator.css", "operator.html", "operator.js", "strings.js",
        "strings.json",
        "tables.js", "text.js", "words.js",
    ].map { "Page/\($0)" },
    // The settings that `doctor --fix` writes, as links to the files in Hardware, and the list of `trust sources`.
    "countersign": [
        "modprobe.conf", "polkit.rules", "udev.rules", "main.conf", "bluetooth-unit.conf", "dbus.conf",
        "sysctl.conf",
    ].map { "Doctor/Settings/\($0)" } + ["Trust/published-sources.json"],
]

func system(_ name: String, pkgConfig: String? = nil, from package: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

/// The targets of a table of folders.
func targets(
    _ table: KeyValuePairs<String, Imports>,
    _ make: (_ name: String, _ path: String, [Target.Dependency]) -> Target
) -> [Target] {
    table.flatMap { folder, imports in
        imports.map { name, dependencies in make(name, "\(folder)/\(name)", dependencies) }
    }
}

func embedded(in name: String) -> [Resource] { (resources[name] ?? []).map { .embedInCode($0) } }

let products =
    targets(libraries) { name, path, imports in
        .target(
            name: name, dependencies: imports, path: path, resources: embedded(in: name),
            swiftSettings: ["BenchFloor", "CZXing"].contains(name) ? [] : strict,
            linkerSettings: name == "CZXing" ? [.linkedLibrary("ZXing")] : [])
    }
    + targets(programs) { name, path, imports in
        .executableTarget(
            name: name, dependencies: imports, path: path, resources: embedded(in: name),
            swiftSettings: strict)
    }

let testTargets = targets(tests) { name, path, further in
    let tested = products.first { $0.name == name }
    let imports = (tested.map { [.target(name: name)] + $0.dependencies } ?? []) + ["VectorFiles"] + further
    return .testTarget(
        name: "\(name)Tests", dependencies: imports, path: "\(path)Tests", swiftSettings: strict)
}

let package = Package(
    name: "countersign",
    products: [
        .executable(name: "countersign", targets: ["countersign"]),
        .executable(name: "countersignd", targets: ["countersignd"]),
        .executable(name: "countersign-accessories", targets: ["countersign-accessories"]),
        .executable(name: "countersign-hub", targets: ["countersign-hub"]),
        .executable(name: "countersign-lab", targets: ["countersign-lab"]),
        .library(name: "TapToPresent", targets: ["TapToPresent"]),
        .library(name: "ProximityReader", targets: ["ProximityReader"]),
        .executable(name: "countersign-portrait", targets: ["countersign-portrait"]),
        .executable(name: "countersign-qrcode", targets: ["countersign-qrcode"]),
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
    targets: systemLibraries + products + testTargets + [
        .testTarget(
            name: "ArchitectureTests", dependencies: ["OpenSSLCrypto", "VectorFiles"],
            path: "Tests/Architecture", swiftSettings: strict),
        .testTarget(
            name: "InteropTests",
            dependencies: [
                "CBOR", "COSE", "MdocModel", "MdocSession", "MdocTrust", "MdocVerification", "MdocWallet",
                "OpenSSLCrypto", "OtherPrograms", "PKIX", "ReaderService", "RequestPlanner", "Transport",
                "VectorFiles",
            ], path: "Tests/Interop", swiftSettings: strict),
    ],
    cxxLanguageStandard: .cxx17
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
