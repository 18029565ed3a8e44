internal import ErrorMapping
internal import ReaderIdentityStore

/// Where the brands are kept, with `brands.json` and the logos: `brands` in the folder of the store, and at a hub the folder
/// that its file names. Nobody but its owner may change any of it: whoever can add a key can prepare the reader.
package struct BrandFolder: Sendable {
    package let path: String

    package init(store: String) {
        self.init(path: "\(store)/brands")
    }

    package init(path: String) { self.path = path }

    package var registryPath: String { "\(path)/brands.json" }

    func logoPath(_ name: LogoName) -> String { "\(path)/\(name.text)" }

    /// The brands; empty if the file is absent.
    package func registry() throws(BrandRegistryError) -> BrandRegistry {
        guard let json = try contents(of: registryPath) else { return BrandRegistry() }
        return try BrandRegistry(json: json)
    }

    /// A file that nobody else may change; nil if it is absent.
    func contents(of path: String) throws(BrandRegistryError) -> [UInt8]? {
        do throws(IdentityStoreError) {
            return try PrivateFile.read(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return nil
        } catch {
            throw .file(error)
        }
    }

    /// Changes the registry while no other process does, and gives it as it is then. What is refused changes nothing, and no
    /// logo either.
    ///
    /// - Parameter logo: what is kept with the change, under which name.
    package func change(
        keeping logo: (image: BrandLogo, name: LogoName)? = nil,
        _ change: (inout BrandRegistry) throws(BrandFault) -> Void
    ) throws(BrandRegistryError) -> BrandRegistry {
        try locked { () throws(BrandRegistryError) in
            var registry = try registry()
            try mapping(change(&registry), BrandRegistryError.refused)
            if let logo { try write(logo.image.png, to: logoPath(logo.name)) }
            try write(registry.json(), to: registryPath)
            return registry
        }
    }

    /// The logo of a brand as the registry is now; nil if there is no such brand, or it has no logo.
    package func logo(ofBrand identifier: TokenText) throws(BrandRegistryError) -> BrandLogo? {
        do throws(BrandRegistryError) {
            return try storedLogo(ofBrand: identifier)
        } catch .logoMissing {
            // The brands may have been replaced since the registry was read: nobody replaces them now.
            return try locked { () throws(BrandRegistryError) in try storedLogo(ofBrand: identifier) }
        }
    }

    private func storedLogo(ofBrand identifier: TokenText) throws(BrandRegistryError) -> BrandLogo? {
        guard let name = try registry().brand(identifier)?.logo else { return nil }
        guard let png = try contents(of: logoPath(name)) else { throw .logoMissing(name) }
        return try mapping(BrandLogo(png: png), BrandRegistryError.logo)
    }

    func write(_ bytes: [UInt8], to path: String) throws(BrandRegistryError) {
        try mapping(PrivateFile.replace(path, with: bytes[...]), BrandRegistryError.file)
    }

    func locked<R>(_ body: () throws(BrandRegistryError) -> R) throws(BrandRegistryError) -> R {
        let lock = try lock()
        defer { lock.release() }
        return try body()
    }

    private func lock() throws(BrandRegistryError) -> FolderLock {
        try mapping(PrivateFile.makeFolder(path), BrandRegistryError.file)
        return try mapping(FolderLock("\(path)/.lock"), BrandRegistryError.file)
    }
}
