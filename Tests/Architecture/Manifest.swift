import Foundation
import Testing

/// A target of `Package.swift`, as its text has it.
struct ManifestTarget: Sendable, CustomTestStringConvertible {
    let name: String
    /// From the root of the repository.
    let path: String
    /// The modules that it may import: of this package, of other packages, and C libraries.
    let dependencies: Set<String>
    let isProgram: Bool

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
        let short = text.matches(
            of: /\b(library|tests|support)\(\s*(?:of: )?"([\w-]+)"(?:, in: "(\w+)")?(?:,\s*\[([^\]]*)\])?/
        ).map { match -> ManifestTarget in
            let (name, layer) = (String(match.2), match.3 ?? "")
            let dependencies = modules(in: match.4 ?? "")
            return switch match.1 {
            case "library":
                ManifestTarget(
                    name: name, path: "Sources/\(layer)/\(name)", dependencies: dependencies,
                    isProgram: false)
            case "tests":
                ManifestTarget(
                    name: "\(name)Tests", path: "Tests/\(layer)/\(name)Tests",
                    dependencies: dependencies.union([name.replacing("-", with: "_"), "VectorFiles"]),
                    isProgram: false)
            default:
                ManifestTarget(
                    name: name, path: "Tests/Support/\(name)", dependencies: dependencies,
                    isProgram: false)
            }
        }
        let long = text.matches(
            of:
                /\.(target|executableTarget|testTarget|systemLibrary)\(\s*name: "([\w-]+)",(?:\s*dependencies: \[([^\]]*)\],)?\s*path: "([^"\\]+)"/
        ).map {
            ManifestTarget(
                name: String($0.2), path: String($0.4), dependencies: modules(in: $0.3 ?? ""),
                isProgram: $0.1 == "executableTarget")
        }
        return short + long
    }

    /// The modules that a list of dependencies names.
    private static func modules(in list: Substring) -> Set<String> {
        let ours = list.replacing(/\.product\([^)]*\)/, with: "").matches(of: /"([\w-]+)"/).map {
            String($0.1)
        }
        let products = list.matches(of: /\.product\(name: "(\w+)"/).map { String($0.1) }
        // A module's name has no hyphen.
        return Set((ours + products).map { $0.replacing("-", with: "_") })
    }
}
