package worlds

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

//go:embed *.toml fields/*.toml robots/*.toml props/*.gltf props/*.glb
var shipped embed.FS

// library is the collection of files of one kind that ship with the program.
type library struct {
	kind   string // name of the kind of file, for messages
	folder string // folder of the files in shipped
}

var (
	worldFiles  = library{"world", "."}
	robotModels = library{"robot model", "robots"}
	fieldFiles  = library{"field", "fields"}
)

// embeddedPrefix marks the names of shipped files in messages. It precedes the name.
const embeddedPrefix = "omnipitch:"

// names returns the names of the shipped files, sorted.
func (l library) names() []string {
	entries, err := shipped.ReadDir(l.folder)
	if err != nil {
		panic(err) // the folder is embedded above
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".toml"); ok {
			names = append(names, name)
		}
	}
	return names
}

// isPath reports whether a name cannot be that of a shipped file, so that it must be a path.
func isPath(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml")
}

// besides returns a path that is relative to the folder of the file named by the argument from.
func besides(from, path string) string {
	if from == "" || filepath.IsAbs(path) || strings.HasPrefix(from, embeddedPrefix) {
		return path
	}
	return filepath.Join(filepath.Dir(from), path)
}

// find returns the full name of a file, and a function that reads the file. The argument name is the name of a shipped
// file or a path. If a file exists at the path, that file is used, even if a shipped file has the same name. Relative
// paths start from the folder of the file that refers to them, which is the argument from.
func (l library) find(in *files.FS, name, from string) (filename string, read func() ([]byte, error), err error) {
	asPath := besides(from, name)
	info, err := in.Stat(asPath)
	folder := err == nil && info.IsDir()
	if err == nil && !folder {
		return asPath, func() ([]byte, error) { return in.Read(asPath, schema.MaxBytes) }, nil
	}
	inside := path.Join(l.folder, name+".toml")
	if _, err := fs.Stat(shipped, inside); err == nil {
		return embeddedPrefix + inside, func() ([]byte, error) { return shipped.ReadFile(inside) }, nil
	}
	if folder {
		return "", nil, fmt.Errorf("is a folder, not a file: %s", asPath)
	}
	if isPath(name) {
		return "", nil, fmt.Errorf("no such file: %s", asPath)
	}
	rule := fmt.Sprintf("is no %s that ships with omnipitch and no file", l.kind)
	if near := rules.Nearest(name, l.names()); near != "" {
		rule += fmt.Sprintf(", did you mean %q?", near)
	} else {
		rule += "; there are " + strings.Join(l.names(), ", ")
	}
	return "", nil, errors.New(rule)
}
