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

// library is one kind of file that ships with the program.
type library struct {
	kind   string // for messages
	folder string // in shipped
}

var (
	worldFiles  = library{"world", "."}
	robotModels = library{"robot model", "robots"}
	fieldFiles  = library{"field", "fields"}
)

// embeddedPrefix marks the names of shipped files in messages.
const embeddedPrefix = "omnipitch:"

// names returns what ships, sorted.
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

// isPath tells whether a name can only be meant as a path.
func isPath(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml")
}

// besides returns a path that stands in the file from.
func besides(from, path string) string {
	if from == "" || filepath.IsAbs(path) || strings.HasPrefix(from, embeddedPrefix) {
		return path
	}
	return filepath.Join(filepath.Dir(from), path)
}

// find returns what to call a file of in or of the program, given by the name of a shipped one or by a path, and how to
// read it. A path beats a name: what exists as a file is that file. Relative paths start from the folder of the file
// that refers to it.
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
