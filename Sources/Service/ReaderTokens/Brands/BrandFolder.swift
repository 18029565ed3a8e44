internal import ErrorMapping
internal import FoundationEssentials
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

    private func logoPath(_ name: LogoName) -> String { "\(path)/\(name.text)" }

    /// The brands; empty if the file is absent.
    package func registry() throws(BrandRegistryError) -> BrandRegistry {
        guard let json = try contents(of: registryPath) else { return BrandRegistry() }
        return try BrandRegistry(json: json)
    }

    /// A file that nobody else may change; nil if it is absent.
    private func contents(of path: String) throws(BrandRegistryError) -> [UInt8]? {
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

/// A registry of brands with every logo that it names, and no other: all of a folder of brands in one value.
package struct BrandBundle: Equatable, Sendable {
    /// `brands.json`, as it was read.
    package let json: [UInt8]
    package let registry: BrandRegistry
    package let logos: [LogoName: BrandLogo]

    /// Throws what is wrong with the registry, or the first logo by its name that is missing, unfit or named by no brand.
    ///
    /// - Parameter logos: the PNGs.
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

/// The files of a folder of brands as they are, also where they make no `BrandBundle`.
package struct BrandFiles: Sendable {
    /// Nil if there is none.
    fileprivate let json: [UInt8]?
    fileprivate let logos: [LogoName: [UInt8]]
}

extension BrandFolder {
    /// All that the folder has of its brands. Throws if there is no registry, too.
    package func bundle() throws(BrandRegistryError) -> BrandBundle {
        guard let json = try contents(of: registryPath) else {
            throw .file(.fileRefused(path: registryPath, errno: PrivateFile.absent))
        }
        var logos: [LogoName: [UInt8]] = [:]
        for name in try BrandRegistry(json: json).brands.compactMap(\.logo) where logos[name] == nil {
            logos[name] = try contents(of: logoPath(name))
        }
        return try BrandBundle(json: json, logos: logos)
    }

    /// Puts these brands in place of all that are there. Who reads the registry meanwhile finds the logos that it names, by
    /// `logo(ofBrand:)`.
    package func replace(with bundle: BrandBundle) throws(BrandRegistryError) {
        try locked { () throws(BrandRegistryError) in
            guard (try? self.bundle()) != bundle else { return }
            try put(BrandFiles(json: bundle.json, logos: bundle.logos.mapValues(\.png)))
        }
    }

    /// Puts files that were read before in place of all that are there.
    package func replace(with files: BrandFiles) throws(BrandRegistryError) {
        try locked { () throws(BrandRegistryError) in try put(files) }
    }

    /// The files as they are while nobody changes them.
    package func files() throws(BrandRegistryError) -> BrandFiles {
        try locked { () throws(BrandRegistryError) in
            var logos: [LogoName: [UInt8]] = [:]
            for name in logoNames() {
                // One that cannot be read is never handed out.
                logos[name] = try? contents(of: logoPath(name))
            }
            return BrandFiles(json: try contents(of: registryPath), logos: logos)
        }
    }

    private func put(_ files: BrandFiles) throws(BrandRegistryError) {
        for (name, png) in files.logos { try write(png, to: logoPath(name)) }
        if let json = files.json {
            try write(json, to: registryPath)
        } else {
            try mapping(PrivateFile.remove(registryPath), BrandRegistryError.file)
        }
        for name in logoNames() where files.logos[name] == nil {
            // One that stays is never handed out.
            try? FileManager.default.removeItem(atPath: logoPath(name))
        }
    }

    private func logoNames() -> [LogoName] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).compactMap(LogoName.init)
    }
}
