# Installs clearance for Windows into %LOCALAPPDATA%\clearance, or into the folder that CLEARANCE_BIN names.
#   CLEARANCE_RELEASES   address of the releases, as in https://github.com/OWNER/clearance/releases/latest/download
# The archive is held to its sum in SHA256SUMS before anything of it is used.
$ErrorActionPreference = 'Stop'
# installers.sh fills it in for a release.
$releasedAt = ''
$releases = if ($env:CLEARANCE_RELEASES) { $env:CLEARANCE_RELEASES } else { $releasedAt }
if (-not $releases) {
    throw 'this copy of the script belongs to no release: take that of a release, or set CLEARANCE_RELEASES to the address of the releases, as in https://github.com/OWNER/clearance/releases/latest/download'
}
$bin = if ($env:CLEARANCE_BIN) { $env:CLEARANCE_BIN } else { Join-Path $env:LOCALAPPDATA 'clearance' }
$name = 'clearance-x86_64-pc-windows-msvc'
$work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory $work | Out-Null
try {
    Invoke-WebRequest -UseBasicParsing "$releases/SHA256SUMS" -OutFile "$work\SHA256SUMS"
    Invoke-WebRequest -UseBasicParsing "$releases/$name.zip" -OutFile "$work\$name.zip"
    $line = Get-Content "$work\SHA256SUMS" | Where-Object { ($_ -split '\s+')[1].TrimStart('*') -eq "$name.zip" }
    if (-not $line) { throw "SHA256SUMS does not list $name.zip" }
    $stated = ($line -split '\s+')[0]
    $found = (Get-FileHash -Algorithm SHA256 "$work\$name.zip").Hash
    if ($stated -ne $found) { throw "$name.zip is not what SHA256SUMS says: it has the sum $found, not $stated; nothing is installed" }
    Expand-Archive "$work\$name.zip" $work
    New-Item -ItemType Directory -Force $bin | Out-Null
    Copy-Item -Force "$work\$name\*.exe" $bin
    & "$bin\clearance.exe" --version
    Write-Output "installed into $bin"
    if (($env:Path -split ';') -notcontains $bin) {
        Write-Output "add it to your Path: [Environment]::SetEnvironmentVariable('Path', `"`$([Environment]::GetEnvironmentVariable('Path', 'User'));$bin`", 'User')"
    }
} finally {
    Remove-Item -Recurse -Force $work
}
