internal import CommandLineInterface
internal import ErrorMapping
internal import ReaderTokens

extension BrandLogo {
    /// The logo in a file that the user named.
    init(file path: String) throws(CommandFailure) {
        let png = try InputFile.read(path, limit: Self.longest)
        self = try mapping(BrandLogo(png: png)) { (fault: LogoFault) in BrandRegistryError.logo(fault).failure
        }
    }
}
