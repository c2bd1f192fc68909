use super::*;

/// A folder with `work/pkg/urdf/r.urdf` and empty files at the given places.
fn folder(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files.iter().chain(&["work/pkg/urdf/r.urdf"]) {
        let path = dir.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    dir
}

fn found(resolver: &Resolver, dir: &Path, uri: &str) -> Option<String> {
    let path = resolver
        .resolve(uri, &dir.join("work/pkg/urdf/r.urdf"))
        .ok()?;
    let path = path.canonicalize().unwrap();
    let dir = dir.canonicalize().unwrap();
    Some(path.strip_prefix(dir).unwrap().display().to_string())
}

#[test]
fn every_kind_of_uri() {
    let dir = folder(&[
        "work/pkg/urdf/a.stl",
        "work/pkg/meshes/b c.stl",
        "work/other/d.stl",
        "work/pkg/urdf/meshes/e.stl",
    ]);
    let d = dir.path();
    let r = Resolver::default();
    let abs = d.join("work/pkg/urdf/a.stl").display().to_string();
    for (uri, file) in [
        ("a.stl", "work/pkg/urdf/a.stl"),
        ("./a.stl", "work/pkg/urdf/a.stl"),
        (abs.as_str(), "work/pkg/urdf/a.stl"),
        (format!("file://{abs}").as_str(), "work/pkg/urdf/a.stl"),
        (
            format!("file://localhost{abs}").as_str(),
            "work/pkg/urdf/a.stl",
        ),
        ("file://a.stl", "work/pkg/urdf/a.stl"),
        ("../meshes/b c.stl", "work/pkg/meshes/b c.stl"),
        ("file://../meshes/b%20c.stl", "work/pkg/meshes/b c.stl"),
        ("..\\meshes\\b c.stl", "work/pkg/meshes/b c.stl"),
        ("package://pkg/meshes/b c.stl", "work/pkg/meshes/b c.stl"),
        ("package:///pkg/meshes/b c.stl", "work/pkg/meshes/b c.stl"),
        ("package://pkg//meshes/b c.stl", "work/pkg/meshes/b c.stl"),
        ("package://other/d.stl", "work/other/d.stl"),
        ("package://meshes/e.stl", "work/pkg/urdf/meshes/e.stl"),
    ] {
        assert_eq!(found(&r, d, uri).as_deref(), Some(file), "{uri}");
    }
}

#[test]
fn the_order_of_search() {
    let dir = folder(&[
        "mine/m.stl",
        "ros/pkg/m.stl",
        "ament/share/pkg/m.stl",
        "work/pkg/m.stl",
    ]);
    let d = dir.path();
    let mut r = Resolver {
        packages: vec![("pkg".into(), d.join("mine"))],
        ros_package_path: vec![d.join("ros")],
        ament_prefix_path: vec![d.join("ament")],
        ..Resolver::default()
    };
    let uri = "package://pkg/m.stl";
    assert_eq!(found(&r, d, uri).as_deref(), Some("mine/m.stl"));
    r.packages.clear();
    assert_eq!(found(&r, d, uri).as_deref(), Some("ros/pkg/m.stl"));
    r.ros_package_path = vec![d.join("ros/pkg")]; // the package itself
    assert_eq!(found(&r, d, uri).as_deref(), Some("ros/pkg/m.stl"));
    r.ros_package_path.clear();
    assert_eq!(found(&r, d, uri).as_deref(), Some("ament/share/pkg/m.stl"));
    r.ament_prefix_path.clear();
    assert_eq!(found(&r, d, uri).as_deref(), Some("work/pkg/m.stl"));
}

/// Regression: what was missing in a stated folder, or the folder itself, was taken from where
/// the environment has another version of the package, without a word.
#[test]
fn a_stated_folder_is_the_only_one() {
    let dir = folder(&["mine/a.stl", "ament/share/pkg/b.stl", "work/pkg/b.stl"]);
    let d = dir.path();
    let stated = |folder: &str| Resolver {
        packages: vec![("pkg".into(), d.join(folder)), ("other".into(), d.into())],
        ament_prefix_path: vec![d.join("ament")],
        ..Resolver::default()
    };
    let r = stated("mine");
    assert_eq!(r.packages_unused(), ["other", "pkg"].into());
    assert_eq!(
        found(&r, d, "package://pkg/a.stl").as_deref(),
        Some("mine/a.stl")
    );
    assert_eq!(r.packages_unused(), ["other"].into());
    let urdf = d.join("work/pkg/urdf/r.urdf");
    let Err(Problem::NotFound { tried, remedy, .. }) = r.resolve("package://pkg/b.stl", &urdf)
    else {
        panic!("found elsewhere");
    };
    assert!(
        remedy.contains("state the one that has the file"),
        "{remedy}"
    );
    assert_eq!(tried, [d.join("mine/b.stl")]);
    let r = stated("typo");
    for error in [
        r.resolve("package://pkg/b.stl", &urdf).unwrap_err(),
        r.package("pkg", &urdf).unwrap_err(),
    ] {
        let said = error.to_string();
        assert!(said.contains("typo, which is no folder"), "{said}");
    }
}

/// Regression: the folder of the package was to be named where the name of the mesh was wrong.
#[test]
fn a_slip_in_the_name_of_a_mesh_is_told_where_the_package_is_found() {
    let dir = folder(&["work/pkg/meshes/upperarm.stl", "work/pkg/meshes/base.stl"]);
    let urdf = dir.path().join("work/pkg/urdf/r.urdf");
    let error = Resolver::default().resolve("package://pkg/meshes/upper_arm.stl", &urdf);
    let said = error.unwrap_err().to_string();
    let there = dir.path().join("work/pkg/meshes/upperarm.stl");
    let meant = format!(
        "did you mean `{}`? If not: name the folder",
        there.display()
    );
    assert!(said.contains(&meant), "{said}");
}

#[test]
fn not_found_lists_every_place() {
    let dir = folder(&[]);
    let r = Resolver {
        ros_package_path: vec!["/ros".into()],
        ament_prefix_path: vec!["/ament".into()],
        ..Resolver::default()
    };
    let urdf = dir.path().join("work/pkg/urdf/r.urdf");
    let Err(Problem::NotFound { tried, remedy, .. }) = r.resolve("package://p/m.stl", &urdf) else {
        panic!("found what is not there");
    };
    for place in ["/ros/p/m.stl", "/ament/share/p/m.stl"] {
        assert!(tried.contains(&place.into()), "{place} not in {tried:?}");
    }
    assert!(tried.contains(&dir.path().join("work/pkg/urdf/p/m.stl")));
    assert!(
        remedy.starts_with("name the folder of the package"),
        "{remedy}"
    );
    assert!(remedy.contains("[packages] p ="), "{remedy}");
    assert!(matches!(
        r.resolve("http://x/m.stl", &urdf),
        Err(Problem::Unsupported { .. })
    ));
    assert!(matches!(
        r.resolve("  ", &urdf),
        Err(Problem::BadValue { .. })
    ));
}

/// Regression: a folder that only had the name was taken, though its `package.xml` named another
/// package and the right one lay beside it.
#[test]
fn a_package_is_the_one_that_states_the_name() {
    let dir = folder(&["work/arm/m.stl", "work/arm_v2/m.stl", "work/arm_v3/n.stl"]);
    let d = dir.path();
    std::fs::write(d.join("work/arm_v2/m.stl"), "new").unwrap();
    let says = |place: &str, name: &str| {
        let text = format!("<package><name>{name}</name></package>");
        std::fs::write(d.join(place).join("package.xml"), text).unwrap();
    };
    // What a resolver has looked for it keeps.
    let fresh = Resolver::default;
    let urdf = d.join("work/pkg/urdf/r.urdf");
    let uri = "package://arm/m.stl";
    let mesh = || found(&fresh(), d, uri);
    let folder = || {
        let found = fresh().package("arm", &urdf).ok()?;
        Some(found.file_name()?.to_str()?.to_owned())
    };
    assert_eq!(mesh().as_deref(), Some("work/arm/m.stl"));
    says("work/arm_v2", "arm");
    assert_eq!(mesh().as_deref(), Some("work/arm_v2/m.stl"));
    assert_eq!(folder().as_deref(), Some("arm_v2"));
    says("work/arm", "arm_v1");
    assert_eq!(mesh().as_deref(), Some("work/arm_v2/m.stl"));
    assert_eq!(folder().as_deref(), Some("arm_v2"));
    // Two that state it.
    says("work/arm", "arm");
    assert!(
        fresh()
            .resolve(uri, &urdf)
            .unwrap_err()
            .to_string()
            .contains("two places")
    );
    assert!(
        fresh()
            .package("arm", &urdf)
            .unwrap_err()
            .to_string()
            .contains("two places")
    );
    // A file of the package means its own.
    says("work/pkg", "arm");
    says("work/arm", "arm_v1");
    std::fs::write(d.join("work/pkg/m.stl"), "own").unwrap();
    assert_eq!(mesh().as_deref(), Some("work/pkg/m.stl"));
    assert_eq!(folder().as_deref(), Some("pkg"));
}

/// As `rospack` finds them: by the name in `package.xml`, deep below a root, and nothing within
/// a package.
#[test]
fn packages_are_found_by_the_name_that_they_state() {
    let dir = folder(&["ws/src/deep/repo/meshes/m.stl", "ws/src/pkg/meshes/m.stl"]);
    let d = dir.path();
    let says = |place: &str, name: &str| {
        let place = d.join(place);
        std::fs::create_dir_all(&place).unwrap();
        let text = format!("<?xml version=\"1.0\"?><package><name> {name}\n</name></package>");
        std::fs::write(place.join("package.xml"), text).unwrap();
    };
    says("ws/src/deep/repo", "arm_description");
    let resolver = || Resolver {
        ros_package_path: vec![d.join("nowhere"), d.join("ws/src")],
        ..Resolver::default()
    };
    let uri = "package://arm_description/meshes/m.stl";
    let there = Some("ws/src/deep/repo/meshes/m.stl");
    assert_eq!(found(&resolver(), d, uri).as_deref(), there);
    let urdf = d.join("work/pkg/urdf/r.urdf");
    let package = resolver().package("arm_description", &urdf).unwrap();
    assert_eq!(package, d.join("ws/src/deep/repo"));
    // A folder has a package's name, and another package states it.
    std::fs::remove_dir_all(d.join("work/pkg/meshes")).ok();
    says("ws/src/zeta", "pkg");
    std::fs::create_dir_all(d.join("ws/src/zeta/meshes")).unwrap();
    std::fs::write(d.join("ws/src/zeta/meshes/m.stl"), "").unwrap();
    let other = Some("ws/src/zeta/meshes/m.stl");
    assert_eq!(
        found(&resolver(), d, "package://pkg/meshes/m.stl").as_deref(),
        other
    );
    // A folder within a package is not a package, nor is one that is to be left alone.
    says("ws/src/deep/repo/test/inner", "inner");
    says("ws/src/old/gone", "gone");
    std::fs::write(d.join("ws/src/old/CATKIN_IGNORE"), "").unwrap();
    for name in ["inner", "gone"] {
        assert!(resolver().package(name, &urdf).is_err(), "{name}");
    }
    // The package that is to be left alone itself, and one that only builds leave alone.
    says("ws/src/below/off", "off");
    std::fs::write(d.join("ws/src/below/off/CATKIN_IGNORE"), "").unwrap();
    assert!(resolver().package("off", &urdf).is_err());
    says("ws/src/beside/on", "on");
    std::fs::write(d.join("ws/src/beside/COLCON_IGNORE"), "").unwrap();
    let on = resolver().package("on", &urdf).unwrap();
    assert_eq!(on, d.join("ws/src/beside/on"));
    // One whose name cannot be read may be any.
    let broken = d.join("ws/src/broken");
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::write(broken.join("package.xml"), "<package><name>gone</package>").unwrap();
    let said = resolver()
        .resolve("package://gone/m.stl", &urdf)
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("ws/src/broken/package.xml, which cannot be read"),
        "{said}"
    );
    std::fs::remove_dir_all(&broken).unwrap();
    // Two of one name: neither is guessed.
    says("ws/src/twin", "arm_description");
    let error = resolver().resolve(uri, &urdf).unwrap_err().to_string();
    assert!(
        error.contains("ws/src/twin") && error.contains("[packages] arm_description"),
        "{error}"
    );
    let named = Resolver {
        packages: vec![("arm_description".into(), d.join("ws/src/deep/repo"))],
        ..resolver()
    };
    assert_eq!(found(&named, d, uri).as_deref(), there);
}

/// The URDF's own package goes by the name that it states, whatever its folder is called.
#[test]
fn the_package_of_the_urdf_itself() {
    let dir = folder(&["work/pkg/meshes/m.stl"]);
    let d = dir.path();
    let text = "<package><name>arm_description</name></package>";
    std::fs::write(d.join("work/pkg/package.xml"), text).unwrap();
    let uri = "package://arm_description/meshes/m.stl";
    assert_eq!(
        found(&Resolver::default(), d, uri).as_deref(),
        Some("work/pkg/meshes/m.stl")
    );
}
