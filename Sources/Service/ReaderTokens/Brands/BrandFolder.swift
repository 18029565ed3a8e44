internal import ReaderIdentityStore

/// Where the brands are kept: `brands` in the folder of the store, with `brands.json` and the logos. Nobody but its owner
/// may change any of it: whoever can add a key can prepare the reader.
package struct BrandFolder: Sendable {
    package let path: String

    package init(store: String) {
        path = "\(store)/brands"
    }

    package var registryPath: String { "\(path)/brands.json" }

    /// The brands; empty if the file is absent.
    package func registry() throws(BrandRegistryError) -> BrandRegistry {
        let json: [UInt8]
        do throws(IdentityStoreError) {
            json = try PrivateFile.read(registryPath)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return BrandRegistry()
        } catch {
            throw .file(error)
        }
        return try BrandRegistry(json: json)
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
            do throws(BrandFault) {
                try change(&registry)
            } catch {
                throw .refused(error)
            }
            if let logo { try write(logo.image.png, to: "\(path)/\(logo.name.text)") }
            try write(registry.json(), to: registryPath)
            return registry
        }
    }

    /// The logo of a brand; nil where it has none.
    package func logo(of brand: Brand) throws(BrandRegistryError) -> BrandLogo? {
        guard let name = brand.logo else { return nil }
        let png = try BrandRegistryError.mapping { () throws(IdentityStoreError) in
            try PrivateFile.read("\(path)/\(name.text)")
        }
        do throws(LogoFault) {
            return try BrandLogo(png: png)
        } catch {
            throw .logo(error)
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(BrandRegistryError) {
        try BrandRegistryError.mapping { () throws(IdentityStoreError) in
            try PrivateFile.replace(path, with: bytes[...])
        }
    }

    private func locked<R>(_ body: () throws(BrandRegistryError) -> R) throws(BrandRegistryError) -> R {
        let lock = try lock()
        defer { lock.release() }
        return try body()
    }

    private func lock() throws(BrandRegistryError) -> FolderLock {
        try BrandRegistryError.mapping { () throws(IdentityStoreError) in
            try PrivateFile.makeFolder(path)
            return try FolderLock("\(path)/.lock")
        }
    }
}

extension BrandRegistryError {
    fileprivate static func mapping<Value: ~Copyable>(
        _ body: () throws(IdentityStoreError) -> Value
    ) throws(BrandRegistryError) -> Value {
        do throws(IdentityStoreError) { return try body() } catch { throw .file(error) }
    }
}
