internal import ErrorMapping
internal import Glibc
package import ReaderTokens

/// A shop's own look on the pages of its lane. It needs no reader token: it says whose screen this is, not who asks.
package struct LaneBrand: Equatable, Sendable {
    package let name: String
    /// The file of the logo, a PNG; nil for none.
    package let logo: String?
    package let colours: BrandColours?
    /// What greets people while nothing is asked; nil for the page's own words.
    package let welcome: String?

    package init(name: String, logo: String? = nil, colours: BrandColours? = nil, welcome: String? = nil) {
        self.name = name
        self.logo = logo
        self.colours = colours
        self.welcome = welcome
    }

    /// The logo as its file has it now; nil if none is named.
    package func image() throws(LogoFileFault) -> BrandLogo? {
        guard let logo else { return nil }
        let data = try Self.contents(of: logo)
        return try mapping(BrandLogo(png: data), LogoFileFault.refused)
    }

    /// Nothing but a file is read, and no more of it than a logo may have: a pipe would never end.
    private static func contents(of path: String) throws(LogoFileFault) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable }
        var bytes: [UInt8] = []
        while bytes.count <= BrandLogo.longest {
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, unsafe read(file, buffer.baseAddress, buffer.count))
            }
            guard !piece.isEmpty else { return bytes }
            bytes += piece
        }
        throw .refused(.tooLong(limit: BrandLogo.longest))
    }
}

/// Why a file cannot be shown as a logo.
package enum LogoFileFault: Error, Equatable, Sendable {
    case unreadable
    case refused(LogoFault)

    package var explanation: String {
        switch self {
        case .unreadable: "it does not exist, or cannot be read: name a PNG file that the daemon may read"
        case .refused(let fault): BrandRegistryError.logo(fault).explanation
        }
    }
}
