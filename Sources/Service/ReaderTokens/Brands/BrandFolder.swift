internal import ErrorMapping
internal import FoundationEssentials
internal import ReaderIdentityStore

/// The folder of the brands: `brands.json` and the logos.
///
/// On a reader the folder is `brands` in the store's folder. On a hub the folder's path is in the
/// configuration. Reading refuses a file that another user may change, because a user who can add a key can
/// sign tokens that the reader accepts.
package struct BrandFolder: Sendable {
    package let path: String

    package init(store: String) {
        self.init(path: "\(store)/brands")
    }

    package init(path: String) { self.path = path }

    package var registryPath: String { "\(path)/brands.json" }

    private func logoPath(_ name: LogoName) -> String { "\(path)/\(name.text)" }

    /// Returns the brands; an empty registry if there is no file.
    package func registry() throws(BrandRegistryError) -> BrandRegistry {
        guard let json = try contents(of: registryPath) else { return BrandRegistry() }
        return try BrandRegistry(json: json)
    }

    /// Returns the contents of a file that only its owner may change; `nil` if there is no file.
    private func contents(of path: String) throws(BrandRegistryError) -> [UInt8]? {
        do throws(IdentityStoreError) {
            return try PrivateFile.read(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return nil
        } catch {
            throw .file(error)
        }
    }

    /// Changes the registry under the folder's lock and returns the changed registry. If `change` throws,
    /// neither the registry nor the logo is written.
    ///
    /// - Parameter logo: a logo and its file name. The logo is stored before the registry that names it.
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

    /// Returns the logo of a brand; `nil` if there is no such brand, or it has no logo.
    package func logo(ofBrand identifier: TokenText) throws(BrandRegistryError) -> BrandLogo? {
        do throws(BrandRegistryError) {
            return try storedLogo(ofBrand: identifier)
        } catch .logoMissing {
            // The registry may have been replaced after it was read, and its logos with it. The second
            // attempt holds the lock, so that nobody can replace them.
            return try locked { () throws(BrandRegistryError) in try storedLogo(ofBrand: identifier) }
        }
    }

    /// Reads the logo that the registry names for a brand.
    ///
    /// - Throws: `logoMissing` if the file is not there.
    private func storedLogo(ofBrand identifier: TokenText) throws(BrandRegistryError) -> BrandLogo? {
        guard let name = try registry().brand(identifier)?.logo else { return nil }
        guard let png = try contents(of: logoPath(name)) else { throw .logoMissing(name) }
        return try mapping(BrandLogo(png: png), BrandRegistryError.logo)
    }

    func write(_ bytes: [UInt8], to path: String) throws(BrandRegistryError) {
        try mapping(PrivateFile.replace(path, with: bytes[...]), BrandRegistryError.file)
    }

    /// Runs `body` under the lock of the folder.
    private func locked<R>(_ body: () throws(BrandRegistryError) -> R) throws(BrandRegistryError) -> R {
        let lock = try lock()
        defer { lock.release() }
        return try body()
    }

    private func lock() throws(BrandRegistryError) -> FolderLock {
        try mapping(PrivateFile.makeFolder(path), BrandRegistryError.file)
        return try mapping(FolderLock("\(path)/.lock"), BrandRegistryError.file)
    }
}

/// A registry of brands with exactly the logos that it names: the contents of a folder of brands as one
/// value.
package struct BrandBundle: Equatable, Sendable {
    /// The bytes of `brands.json` as they were read.
    package let json: [UInt8]
    package let registry: BrandRegistry
    package let logos: [LogoName: BrandLogo]

    /// Checks the registry and its logos. Throws the first error in the registry. If the registry has no
    /// error, throws an error for a logo that no brand names, and then for a logo that is missing or
    /// unusable. Among several logos, the error names the first in the order of the names.
    ///
    /// - Parameters:
    ///   - json: the contents of `brands.json`.
    ///   - logos: the PNG files by name.
    package init(json: [UInt8], logos: [LogoName: [UInt8]]) throws(BrandRegistryError) {
        registry = try BrandRegistry(json: json)
        let named = Set(registry.brands.compactMap(\.logo))
        if let name = Set(logos.keys).subtracting(named).min() { throw .logoUnnamed(name) }
        var fit: [LogoName: BrandLogo] = [:]
        for name in named.sorted() {
            guard let png = logos[name] else { throw .logoMissing(name) }
            fit[name] = try mapping(BrandLogo(png: png)) { (error: LogoFault) in
                BrandRegistryError.logoUnfit(name, error)
            }
        }
        self.json = json
        self.logos = fit
    }
}

/// A copy of all files in a brand folder, even if they do not form a valid `BrandBundle`. `replace(with:)`
/// restores the folder from the copy.
package struct BrandFiles: Sendable {
    /// The contents of `brands.json`; `nil` if there is no such file.
    fileprivate let json: [UInt8]?
    fileprivate let logos: [LogoName: [UInt8]]
}

extension BrandFolder {
    /// Returns the registry with its logos. Throws if the registry is missing.
    package func bundle() throws(BrandRegistryError) -> BrandBundle {
        guard let json = try contents(of: registryPath) else {
            throw .file(.fileRefused(path: registryPath, errno: PrivateFile.absent))
        }
        var logos: [LogoName: [UInt8]] = [:]
        for name in try BrandRegistry(json: json).brands.compactMap(\.logo) where logos[name] == nil {
            // A missing file adds nothing here: `BrandBundle` then throws `logoMissing`.
            logos[name] = try contents(of: logoPath(name))
        }
        return try BrandBundle(json: json, logos: logos)
    }

    /// Replaces all brands of the folder. If a concurrent call of `logo(ofBrand:)` has read the old registry
    /// and no longer finds the logo's file, that call tries again under the lock.
    package func replace(with bundle: BrandBundle) throws(BrandRegistryError) {
        try locked { () throws(BrandRegistryError) in
            // A folder that cannot be read differs from every bundle, and is replaced too.
            guard (try? self.bundle()) != bundle else { return }
            try writeAll(BrandFiles(json: bundle.json, logos: bundle.logos.mapValues(\.png)))
        }
    }

    /// Restores files that `files()` returned, in place of all files of the folder.
    package func replace(with files: BrandFiles) throws(BrandRegistryError) {
        try locked { () throws(BrandRegistryError) in try writeAll(files) }
    }

    /// Returns all files of the folder, read under its lock.
    package func files() throws(BrandRegistryError) -> BrandFiles {
        try locked { () throws(BrandRegistryError) in
            var logos: [LogoName: [UInt8]] = [:]
            for name in logoNames() {
                // A logo that cannot be read is skipped, because no reader or browser could use it.
                logos[name] = try? contents(of: logoPath(name))
            }
            return BrandFiles(json: try contents(of: registryPath), logos: logos)
        }
    }

    /// Writes the registry and its logos in place of all files of the folder.
    private func writeAll(_ files: BrandFiles) throws(BrandRegistryError) {
        // The logos are written first, then the registry that names them. Old logos are removed last, so that
        // every logo that the registry names has a file at all times.
        for (name, png) in files.logos { try write(png, to: logoPath(name)) }
        if let json = files.json {
            try write(json, to: registryPath)
        } else {
            try mapping(PrivateFile.remove(registryPath), BrandRegistryError.file)
        }
        for name in logoNames() where files.logos[name] == nil {
            // A logo that cannot be removed does no harm: no brand names it, so it is never handed out.
            try? FileManager.default.removeItem(atPath: logoPath(name))
        }
    }

    private func logoNames() -> [LogoName] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).compactMap(LogoName.init)
    }
}
