import CommandBench
import COSE
import Foundation
import MdocModel
import MdocWallet
import OpenSSLCrypto
import Testing
import WalletPresentation

/// The channels of apps and pages from the command line: the software wallet answers, and `verify` judges.
@Suite("wallet and verify over both channels")
struct ChannelTests {
    private static let channels = [PresentationChannel.app, .web]

    let stage: ChannelFilesStage

    init() throws {
        stage = try ChannelFilesStage()
    }

    @Test(
        "A good answer of the test issuer passes every check, and the result says that replays cannot be seen",
        arguments: channels)
    func good(_ channel: PresentationChannel) throws {
        let made = try stage.answer(channel)
        #expect(made.status == 0, "\(made.everything)")
        #expect(try permissions(of: stage.path("answer")) == 0o600)
        let run = try stage.verify(channel, "--json", "--strict")
        #expect(run.status == 0, "\(run.everything)")
        let report = try run.report()
        #expect(
            report.verdict == "mock" && report.mockSign == "mock.test_trust"
                && report.isReplayChecked == false)
        #expect(report.requestCompared && report.ageStandIns == [])
        #expect(report.documents.map(\.deviceAuthentication) == ["signature"])
        #expect(report.documents.map(\.ageOver) == [["21": "yes"]])
        #expect(report.phases.map(\.name) == ["decrypt", "verify"])
        let text = try stage.verify(channel)
        #expect(
            text.output.hasPrefix("TEST DOCUMENT: over 21 yes\n")
                && text.output.contains("Replays cannot be detected"))
        #expect(!text.output.contains("not compared with"))
        // The values are there to be asked for, and only then.
        #expect(!text.output.contains("Lumi"))
        #expect(try stage.verify(channel, "--show-values").output.contains("Lumi"))
    }

    @Test("The JSON has the members of every other verdict, and three of its own", arguments: channels)
    func shape(_ channel: PresentationChannel) throws {
        _ = try stage.answer(channel)
        #expect(
            try Set(stage.verify(channel, "--json").json().keys) == [
                "verdict", "mockSign", "isReplayChecked", "ageStandIns", "outcome", "reasons", "missing",
                "request", "requestCompared",
                "trustSnapshot", "policy", "documents", "errors", "phases",
            ])
    }

    @Test(
        "Each fault is refused by its own name, a mock as a mock, and no value comes",
        arguments: PresentationFault.allCases)
    func faults(_ fault: PresentationFault) throws {
        for channel in fault.channels {
            #expect(try stage.answer(channel, "--fault", fault.rawValue).status == 0)
            let run = try stage.verify(channel, "--json")
            let report = try run.report()
            let reason = fault.refusal(at: channel)
            if reason.hasPrefix("mock.") {
                #expect(run.status == 2 && report.verdict == "mock" && report.mockSign == reason)
            } else {
                let isForm = reason == "presentation.malformed"
                #expect(
                    run.status == (isForm ? 65 : 2) && report.verdict == (isForm ? "malformed" : "rejected"))
                #expect(report.errors.first?.id == reason)
            }
            #expect(!run.output.contains("Lumi") && !run.output.contains("\"elements\""))
            let text = try stage.verify(channel, "--show-values")
            #expect(text.status == run.status && text.output.contains("[\(reason)]"), "\(text.output)")
            #expect(!text.output.contains("Lumi"))
        }
    }

    @Test("What is said of the request is bound: another name, nonce, origin or key is refused")
    func otherOptions() throws {
        _ = try stage.answer(.app)
        let other = Base64URL.encode(try randomBytes(32))
        for (option, value, reason) in [
            ("--merchant-id", "merchant.example.bar", "presentation.info_hash"),
            ("--team-id", "TEAM654321", "presentation.info_hash"),
            ("--nonce", other, "presentation.info_hash"),
            ("--key", try stage.folder.write(Self.otherKey(), as: "other.pem"), "presentation.recipient_key"),
        ] {
            let run = try stage.verify(.app, "--json") { try $0.replace(option, value) }
            #expect(try run.status == 2 && run.report().errors.map(\.id) == [reason], "\(option)")
        }
        _ = try stage.answer(.web)
        for (option, value, reason) in [
            ("--origin", "https://bar.example", "presentation.not_opened"),
            ("--key", stage.path("other.pem"), "presentation.recipient_key"),
        ] {
            let run = try stage.verify(.web, "--json") { try $0.replace(option, value) }
            #expect(try run.status == 2 && run.report().errors.map(\.id) == [reason], "\(option)")
        }
    }

    private static func otherKey() throws -> [UInt8] {
        try PrivateKey.generate(.p256).unprotectedPEM().withUnprotectedBytes(Array.init)
    }

    @Test("While keys are rotated, the one it is sealed for is found among several", arguments: channels)
    func rotation(_ channel: PresentationChannel) throws {
        _ = try stage.answer(channel)
        let other = try stage.folder.write(Self.otherKey(), as: "new.pem")
        #expect(try stage.verify(channel, "--key", other).status == 0)
        #expect(
            try stage.verify(channel, "--key", stage.path("key.pem")) { try $0.replace("--key", other) }
                .status
                == 0)
    }

    @Test("Without what was asked nothing is compared, and the result says so; an intent says it too")
    func notCompared() throws {
        _ = try stage.answer(.web)
        let text = stage.encryptionInfo.text
        let file = try stage.folder.write("\(text)\n".utf8, as: "info.txt")
        for info in [text, file] {
            let run = try stage.verify(.web) { arguments in
                try arguments.replace("--web-request", info)
                arguments[arguments.firstIndex(of: "--web-request") ?? 0] = "--encryption-info"
            }
            #expect(
                run.status == 0 && run.output.contains("was not compared with a request"), "\(run.everything)"
            )
        }
        let asked = try stage.verify(.web, "--intent", "elements: name, age over 21", "--json") { arguments in
            try arguments.replace("--web-request", text)
            arguments[arguments.firstIndex(of: "--web-request") ?? 0] = "--encryption-info"
        }
        #expect(try asked.report().requestCompared, "\(asked.everything)")
        _ = try stage.answer(.app)
        let bare = try stage.verify(.app, "--json") { arguments in
            while let index = arguments.firstIndex(of: "--element") {
                arguments.removeSubrange(index...index + 1)
            }
        }
        #expect(try bare.status == 0 && bare.report().requestCompared == false)
    }

    @Test("An age that came for an answer answers, and is reported", arguments: channels)
    func ageStandIn(_ channel: PresentationChannel) throws {
        for (age, status) in [("30", Int32(0)), ("20", 1)] {
            #expect(try stage.answer(channel, "--age", age, "--attests", "18").status == 0)
            let run = try stage.verify(channel, "--json")
            #expect(run.status == status, "\(run.everything)")
            #expect(
                try run.report().ageStandIns == [.init(docType: "org.iso.18013.5.1.mDL", years: 21)])
            #expect(try stage.verify(channel).output.contains("the wallet sent an age in years instead"))
        }
    }

    @Test("A holder who declines leaves no file behind: exit code 3", arguments: channels)
    func declined(_ channel: PresentationChannel) throws {
        let run = try stage.answer(channel, "--decision", "declines")
        #expect(run.status == 3 && run.errors.contains("declined"))
        #expect(!FileManager.default.fileExists(atPath: stage.path("answer")))
    }

    @Test("A request or a file that is not what it claims to be is malformed")
    func malformed() throws {
        _ = try stage.folder.write("{}".utf8, as: "request.json")
        #expect(try stage.answer(.web).status == 65)
        _ = try stage.folder.write([0xff], as: "answer")
        for channel in Self.channels {
            let run = try stage.verify(channel, "--json")
            #expect(try run.status == 65 && run.report().verdict == "malformed")
        }
        _ = try stage.folder.write([UInt8](repeating: 0x41, count: 200), as: "answer")
        let long = try stage.verify(.app, "--json", "--max-message", "100")
        #expect(try long.status == 65 && long.report().errors.map(\.id) == ["input.malformed"])
    }

    @Test("What does not belong together is wrong usage")
    func usage() throws {
        let file = try stage.folder.write([0], as: "file")
        let app = ["--merchant-id", "m", "--team-id", "t", "--nonce", "AAAA"]
        let refused: [[String]] = [
            ["verify", "--envelope", file], ["verify", "--envelope", file, "--key", file] + app.dropLast(2),
            ["verify", "--envelope", file] + app,
            ["verify", "--envelope", file, "--key", file, "--reader-key", "01"] + app,
            ["verify", "--envelope", file, "--key", file, "--response", file] + app,
            ["verify", "--envelope", file, "--key", file, "--web-response", file] + app,
            ["verify", "--envelope", file, "--key", "x"] + app,
            ["verify", "--web-response", file, "--key", file, "--encryption-info", "x"],
            ["verify", "--web-response", file, "--key", file, "--origin", "https://a.example"],
            ["verify", "--web-response", file, "--key", file, "--origin", "https://a.example/"],
            ["verify", "--response", file, "--transcript", file, "--nonce", "AAAA"],
        ]
        for arguments in refused {
            let run = try CommandRun(arguments)
            #expect(run.status == 64, "\(arguments) \(run.everything)")
            #expect(run.output.isEmpty)
        }
    }
}

extension [String] {
    /// Gives the first option of this name another value.
    fileprivate mutating func replace(_ option: String, _ value: String) throws {
        let index = try #require(firstIndex(of: option))
        self[index + 1] = value
    }
}
