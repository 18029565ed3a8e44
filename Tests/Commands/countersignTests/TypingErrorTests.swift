import CommandBench
import Testing

@Suite("Typing errors")
struct TypingErrorTests {
    @Test(
        "A mistyped command, option, intent word or element is answered with the right one",
        arguments: [
            (["verfy"], "error: countersign has no command \"verfy\"; did you mean countersign verify?"),
            (["help", "docter"], "has no command \"docter\"; did you mean countersign doctor?"),
            (["help", "trust", "lst"], "did you mean countersign trust list?"),
            (
                ["trust", "lst"],
                "error: countersign trust has no command \"lst\"; did you mean countersign trust list?"
            ),
            (
                ["request", "--potrait"],
                "error: countersign request has no option --potrait; did you mean --portrait?"
            ),
            (
                ["verify", "--respnse=response.cbor"],
                "error: countersign verify has no option --respnse; did you mean --response?"
            ),
            (["token", "sign", "--brnd", "utopia"], "no option --brnd; did you mean --brand?"),
            (
                ["request", "age ovr 21"],
                "error: \"age ovr 21\" is not understood; did you mean \"age over 21\"?"
            ),
            (["request", "rental: license number"], "did you mean \"licence number\"?"),
            (["request", "age 21"], "\"age 21\" is not understood; did you mean \"age over 21\"?"),
            (["request", "Age 21"], "did you mean \"age over 21\"?"),
            (["request", "age over 18 with photo"], "did you mean \"portrait for a human to compare\"?"),
            (["request", "age over 18, portrait"], "did you mean \"portrait for a human to compare\"?"),
            (["request", "name"], "for another purpose, begin the request with rental: or identity:"),
            (["request", "rental: category b"], "did you mean \"categories B\"?"),
            (["request", "rentl: name"], "did you mean \"rental:\"?"),
            (
                ["request", "identity: name; from photoids"],
                "did you mean \"from photoid\"?"
            ),
            (
                ["request", "--element", "org.iso.18013.5.1/famly_name"],
                "did you mean \"org.iso.18013.5.1/family_name\"?"
            ),
        ])
    func near(_ arguments: [String], _ words: String) throws {
        let run = try CommandRun(arguments)
        #expect(run.status == 64 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("error: ") && run.errors.contains(words), "\(run.errors)")
    }

    @Test(
        "What is like nothing is answered with where the words are",
        arguments: [
            (["help", "frobnicate"], "countersign --help lists them"),
            (["frobnicate"], "countersign --help lists them"),
            (["identity", "frobnicate"], "countersign identity --help lists them"),
            (["trust", "list", "--frobnicate"], "countersign trust list --help lists them"),
            (
                ["request", "shoe size"],
                "/usr/share/doc/countersign/Documentation/command-line.md lists the words, which are case-sensitive"
            ),
        ])
    func far(_ arguments: [String], _ words: String) throws {
        let run = try CommandRun(arguments)
        #expect(run.status == 64 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("error: ") && run.errors.contains(words), "\(run.errors)")
        #expect(!run.errors.contains("did you mean"))
    }
}
