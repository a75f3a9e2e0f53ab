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

//go:embed *.toml fields/*.toml looks/*.toml robots/*.toml robots/*.urdf robots/*.xml robots/*.yaml
//go:embed props/*.gltf props/*.glb maps/*
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
	lookFiles   = library{"look", "looks"}
)

// embeddedPrefix precedes the names of shipped files in messages.
const embeddedPrefix = "omnipitch:"

// names returns the names of the shipped files, sorted.
func (l library) names() []string {
	entries, err := shipped.ReadDir(l.folder)
	if err != nil {
		panic(err) // never happens: the folder is embedded above
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".toml"); ok {
			names = append(names, name)
		}
	}
	return names
}

// isPath reports whether a name must be a path, because it cannot be the name of a shipped file.
func isPath(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml") || formatOf(name) != nil
}

// besides resolves a path that is relative to the folder of the referrer, which is the file that contains the path. The
// path stays unchanged if the referrer is empty or a file that ships with the program.
func besides(referrer, path string) string {
	if referrer == "" || filepath.IsAbs(path) || strings.HasPrefix(referrer, embeddedPrefix) {
		return path
	}
	return filepath.Join(filepath.Dir(referrer), path)
}

// find returns the full name of a file, and a function that reads the file. The argument name is the name of a shipped
// file or a path. If a file exists at the path, that file is used, even if a shipped file has the same name. Relative
// paths start from the folder of the referrer, which is the file that contains the name.
func (l library) find(in *files.FS, name, referrer string) (filename string, read func() ([]byte, error), err error) {
	asPath := besides(referrer, name)
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
		near := ""
		if in == nil { // the file is searched on this machine
			near = files.Beside(asPath)
		}
		return "", nil, fmt.Errorf("no such file: %s%s", asPath, near)
	}
	rule := fmt.Sprintf("is no %s that ships with omnipitch and no file", l.kind)
	if near := rules.Nearest(name, l.names()); near != "" {
		rule += fmt.Sprintf(", did you mean %q?", near)
	} else {
		rule += "; there are " + strings.Join(l.names(), ", ")
	}
	return "", nil, errors.New(rule)
}

// ShippedFile is a world, robot model, field or look of robots that ships with the program.
type ShippedFile struct {
	Kind, Name string
	About      string // description in one sentence; for a field, its size
}

var libraries = []library{worldFiles, robotModels, fieldFiles, lookFiles}

// Shipped lists the worlds, robot models, fields and looks of robots that ship with the program. Files of each kind are
// sorted by name.
func Shipped() []ShippedFile {
	var list []ShippedFile
	for _, l := range libraries {
		for _, name := range l.names() {
			list = append(list, ShippedFile{l.kind, name, l.about(name)})
		}
	}
	return list
}

func (l library) about(name string) string {
	_, file, err := new(sources).find(l, name, embeddedPrefix)
	if err != nil {
		return err.Error()
	}
	if key := file.Root().Get("about"); key != nil {
		text, _ := key.Text()
		return text
	}
	f := defaultField()
	if err := file.Bind(&f.Field); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%g × %g m, border %g m", f.Length, f.Width, f.Border)
}

// Source returns the text of the shipped file with a name.
func Source(name string) ([]byte, error) {
	var all []string
	for _, l := range libraries {
		if text, err := shipped.ReadFile(path.Join(l.folder, name+".toml")); err == nil {
			return text, nil
		}
		all = append(all, l.names()...)
	}
	err := fmt.Errorf("%q does not ship with omnipitch", name)
	if near := rules.Nearest(name, all); near != "" {
		err = fmt.Errorf("%w, did you mean %q?", err, near)
	}
	return nil, err
}
