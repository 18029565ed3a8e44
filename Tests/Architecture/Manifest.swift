import Foundation
import Testing

/// A target of `Package.swift`, as its text has it.
struct ManifestTarget: Sendable, CustomTestStringConvertible {
    let name: String
    /// From the root of the repository.
    let path: String
    /// The modules that it may import: of this package, of other packages, and C libraries.
    var dependencies: Set<String> = []
    /// The dependencies that tests have since the target that they test has them.
    var derived: Set<String> = []
    var isProgram = false

    var testDescription: String { name }

    /// Its name in imports, which has no hyphen.
    var module: String { name.replacing("-", with: "_") }

    /// Nil outside of `Sources`.
    var layer: Layer? {
        let folders = path.split(separator: "/")
        return folders.first == "Sources" && folders.count > 1 ? Layer(rawValue: String(folders[1])) : nil
    }

    var files: [SourceFile] { SourceFile.all(in: path) }

    /// Whether it is without input and output, clock and waiting: the protocol core, and the software wallet, which tests
    /// give any time as they give it to the core.
    var isCore: Bool { layer.map { $0.order <= Layer.mdoc.order } == true || name == "MdocWallet" }
}

/// The layers, from the lowest.
enum Layer: String, CaseIterable {
    case system = "System"
    case formats = "Formats"
    case cryptography = "Cryptography"
    case mdoc = "Mdoc"
    case transports = "Transports"
    case service = "Service"
    case fleet = "Fleet"
    case laboratory = "Laboratory"
    case commands = "Commands"

    var order: Int { Layer.allCases.firstIndex(of: self) ?? 0 }
}

/// `Package.swift`, which says who may import what.
enum Manifest {
    static let targets = targets(in: SourceFile.text(of: "Package.swift"))
    static let byName = Dictionary(targets.map { ($0.name, $0) }) { first, _ in first }

    /// A target and all targets of this package that are linked with it.
    static func closure(of name: String, in targets: [ManifestTarget] = targets) -> [ManifestTarget] {
        let byModule = Dictionary(targets.map { ($0.module, $0) }) { first, _ in first }
        var found: [ManifestTarget] = []
        var waiting = [name.replacing("-", with: "_")]
        while let next = waiting.popLast() {
            guard let target = byModule[next], !found.contains(where: { $0.module == next }) else { continue }
            found.append(target)
            waiting += target.dependencies
        }
        return found
    }

    static func targets(in text: String) -> [ManifestTarget] {
        let products = products(in: text)
        // A table, a folder of it, an entry of that, and targets that are written out.
        let parts =
            /let (?<table>\w+): |"(?<folder>\w+\/\w+)": \[|"(?<name>[\w-]+)": \[(?<imports>[^\[\]]*)\]|system\("(?<system>\w+)"|\.(?<kind>testTarget|executableTarget)\(\s*name: "(?<alone>\w+)",\s*dependencies: \[(?<needs>[^\]]*)\],\s*path: "(?<path>[^"\\]+)"/
        var targets: [ManifestTarget] = []
        var (table, folder) = ("", "")
        for part in text.matches(of: parts).map(\.output) {
            if let name = part.table {
                table = String(name)
            } else if let path = part.folder {
                folder = String(path)
            } else if let name = part.system {
                targets.append(ManifestTarget(name: String(name), path: "Sources/System/\(name)"))
            } else if let name = part.alone, let path = part.path {
                targets.append(
                    ManifestTarget(
                        name: String(name), path: String(path),
                        dependencies: modules(in: part.needs ?? "", products),
                        isProgram: part.kind == "executableTarget"))
            } else if let name = part.name, ["libraries", "programs", "tests"].contains(table) {
                let imports = modules(in: part.imports ?? "", products)
                targets.append(target(String(name), in: folder, of: table, imports, beside: targets))
            }
        }
        return targets
    }

    /// - Parameter others: the targets before it, among them the one that it tests.
    private static func target(
        _ name: String, in folder: String, of table: String, _ imports: Set<String>,
        beside others: [ManifestTarget]
    ) -> ManifestTarget {
        guard table == "tests" else {
            return ManifestTarget(
                name: name, path: "\(folder)/\(name)", dependencies: imports, isProgram: table == "programs")
        }
        let tested = others.first { $0.name == name }
        let derived = tested.map { $0.dependencies.union([$0.module]) } ?? []
        return ManifestTarget(
            name: "\(name)Tests", path: "\(folder)/\(name)Tests",
            dependencies: imports.union(derived).union(["VectorFiles"]), derived: derived)
    }

    /// The modules of other packages, by the names of their constants.
    private static func products(in text: String) -> [String: String] {
        let constants = text.matches(of: /let (\w+): Target\.Dependency = \.product\(\s*name: "(\w+)"/)
        return Dictionary(uniqueKeysWithValues: constants.map { (String($0.1), String($0.2)) })
    }

    /// The modules that a list of dependencies names.
    private static func modules(in list: Substring, _ products: [String: String]) -> Set<String> {
        let words = list.split { !$0.isLetter && !$0.isNumber && !"-_\"".contains($0) }
        let modules = words.map { word -> String in
            guard word.hasPrefix("\"") else { return products[String(word)] ?? "?" }
            // A module's name has no hyphen.
            return String(word.filter { $0 != "\"" }).replacing("-", with: "_")
        }
        return Set(modules)
    }
}
