#!/bin/sh
# Writes the two installers of a release: they know its address.
#   installers.sh https://github.com/OWNER/clearance/releases/latest/download FOLDER
set -eu
address="$1"
folder="$2"
here="$(dirname "$0")"

case "$address" in
*[!A-Za-z0-9:/._-]* | "") echo "error: $address is not an address" >&2; exit 1 ;;
esac
sed "s|^released_at=''\$|released_at='$address'|" "$here/install.sh" > "$folder/install.sh"
sed "s|^\$releasedAt = ''|\$releasedAt = '$address'|" "$here/install.ps1" > "$folder/install.ps1"
for script in install.sh install.ps1; do
    grep -q "'$address'" "$folder/$script" || { echo "error: $script has no place for the address" >&2; exit 1; }
done
