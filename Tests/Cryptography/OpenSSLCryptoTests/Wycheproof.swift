import Foundation
import Testing
import VectorFiles

@testable import OpenSSLCrypto

/// A file of Wycheproof vectors; only the fields of its algorithm are there.
struct Wycheproof: Decodable {
    struct Group: Decodable {
        let curve: String?
        let encoding: String?
        let sha: String?
        let publicKeyDer: String?
        let keySize: Int?
        let ivSize: Int?
        let tagSize: Int?
        let tests: [Case]
    }

    struct Case: Decodable {
        let tcId: Int
        let comment: String
        let flags: [String]
        let result: String
        let msg: String?
        let sig: String?
        let `public`: String?
        let `private`: String?
        let shared: String?
        let key: String?
        let iv: String?
        let aad: String?
        let ct: String?
        let tag: String?
        let ikm: String?
        let salt: String?
        let info: String?
        let size: Int?
        let okm: String?
    }

    let numberOfTests: Int
    let testGroups: [Group]

    /// Nil in a bare clone.
    static let folder: URL? = VectorFiles.shared?.appending(path: "vectors/wycheproof")

    static let absence: Comment = "the shared vectors are not beside this repository"

    static func load(_ name: String) throws -> Wycheproof {
        try VectorFiles.json(at: #require(folder).appending(path: name + ".json"))
    }
}

extension Wycheproof {
    /// What running one case may come to.
    enum Outcome: Equatable {
        /// The case asks for sizes this target does not offer.
        case notApplicable
        /// The value the file gives came out.
        case asPublished
        /// Another value came out: wrong whatever the case says.
        case different
        case refused(OpenSSLCryptoError)

        var isRefusal: Bool {
            if case .refused = self { true } else { false }
        }
    }

    /// Runs every case of a file: valid ones must come out as published, invalid ones must not, and
    /// acceptable ones as `acceptable` says. Prints and returns how many were run.
    @discardableResult
    static func run(
        _ name: String, acceptable: (Case) -> Bool = { _ in false },
        _ body: (Group, Case) throws -> Outcome
    ) throws -> Int {
        let file = try load(name)
        var (run, skipped) = (0, 0)
        for group in file.testGroups {
            for test in group.tests {
                let outcome = try body(group, test)
                run += outcome == .notApplicable ? 0 : 1
                skipped += outcome == .notApplicable ? 1 : 0
                check(outcome, of: test, acceptable: acceptable, name)
            }
        }
        #expect(run + skipped == file.numberOfTests)
        print("\(name): \(run) run, \(skipped) not applicable")
        return run
    }

    private static func check(
        _ outcome: Outcome, of test: Case, acceptable: (Case) -> Bool, _ name: String
    ) {
        let label: Comment = "\(name) \(test.tcId): \(test.comment) \(test.flags)"
        guard outcome != .notApplicable else { return }
        #expect(outcome != .different || test.result == "invalid", label)
        let mustPass = test.result == "valid" || test.result == "acceptable" && acceptable(test)
        if mustPass {
            #expect(outcome == .asPublished, label)
        } else if test.result == "acceptable" {
            #expect(outcome.isRefusal, label)
        } else {
            #expect(outcome != .asPublished, label)
        }
    }

    /// Turns this target's errors into refusals; others are faults of the test.
    static func refusing(_ body: () throws -> Outcome) throws -> Outcome {
        do {
            return try body()
        } catch let error as OpenSSLCryptoError {
            return .refused(error)
        }
    }
}
