internal import ReaderTokens

extension BrandLogo {
    /// The logo in a file that the user named.
    init(file path: String) throws(CommandFailure) {
        let png = try InputFile.read(path, limit: Self.longest)
        self = try CommandFailure.mapping { () throws(BrandRegistryError) in
            do throws(LogoFault) {
                return try BrandLogo(png: png)
            } catch {
                throw .logo(error)
            }
        }
    }
}
