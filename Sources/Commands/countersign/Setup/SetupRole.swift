/// What a computer is for.
enum SetupRole: String, CaseIterable {
    case kiosk, till, rental

    var words: String {
        switch self {
        case .kiosk: "a clerk starts each check with a button and compares the portrait"
        case .till: "a till's program orders age checks"
        case .rental: "a desk takes data of driving licences"
        }
    }

    /// What its program may do with its token.
    var scopes: [String] { self == .rental ? ["app", "readerTokens", "admin"] : ["app"] }

    /// What its program's token is called.
    var caller: String { self == .rental ? "desk" : "till" }

    var lane: String { self == .rental ? "desk-1" : "counter-1" }

    var purpose: String {
        self == .rental ? "To check your driving licence for this rental." : "To check your age."
    }

    var intent: String {
        switch self {
        case .kiosk: Self.comparison(over: 21)
        case .till: "age over 21"
        case .rental: "rental: name, licence number"
        }
    }

    /// The ages that have a button on the clerk's page.
    var presetAges: [Int] { self == .kiosk ? [18, 21] : [] }

    static func comparison(over age: Int) -> String {
        "age over \(age) with portrait for a human to compare"
    }

    /// A person decides where a portrait is to be compared.
    var isConfirmed: Bool { self == .kiosk }

    var retentions: [SetupRetention] {
        self == .rental ? [.days, .receipt, .nothing] : [.nothing, .receipt]
    }
}
