import Testing

@testable import PresentationService

@Suite("Whose retained data is whose")
struct RetentionAccessTests {
    private static func covers(
        _ owner: RetentionOwner, name: String = "desk", scopes: Set<Scope> = [.desk],
        lanes: Set<String>? = ["one"], of all: Set<String> = ["one", "two"]
    ) -> Bool {
        let caller = KnownCaller(name: name, scopes: scopes, lanes: lanes, credential: .user(0))
        return RetentionAccess(caller, lanes: all).covers(owner)
    }

    @Test("A desk has the data of its lanes, and not that of another lane while that lane is there")
    func lanes() {
        let (one, two) = (RetentionOwner("desk", atDesk: "one"), RetentionOwner("desk", atDesk: "two"))
        #expect(Self.covers(one) && !Self.covers(two))
        #expect(Self.covers(two, lanes: nil) && Self.covers(one, lanes: nil))
    }

    @Test("Data of a lane that is gone is its caller's at every desk, and nobody else's")
    func removed() {
        let gone = RetentionOwner("desk", atDesk: "gone")
        #expect(Self.covers(gone) && Self.covers(gone, lanes: nil))
        #expect(!Self.covers(gone, of: ["one", "two", "gone"]))
        #expect(!Self.covers(gone, name: "other") && !Self.covers(gone, name: "gone/desk"))
        for scope in Scope.allCases where scope != .desk {
            #expect(!Self.covers(gone, scopes: [scope], lanes: nil), "\(scope)")
        }
    }

    @Test("What a program ordered is its own at any lane, and not its desk page's")
    func programs() {
        let owner = RetentionOwner("desk")
        #expect(Self.covers(owner, scopes: [.app]) && Self.covers(owner, scopes: [.app], of: []))
        #expect(!Self.covers(owner, scopes: [.desk]) && !Self.covers(owner, name: "other", scopes: [.app]))
    }

    @Test("The store's name of a desk is read as it was written, also with a slash in the caller's name")
    func names() {
        let owner = RetentionOwner("shop/desk", atDesk: "one")
        let read = RetentionOwner(stored: owner.text).desk
        #expect(read?.lane == "one" && read?.caller == "shop/desk")
        for text in ["desk", "lane:one", "shop/desk"] {
            #expect(RetentionOwner(stored: text).desk == nil, "\(text)")
        }
    }
}
