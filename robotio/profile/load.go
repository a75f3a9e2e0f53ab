package profile

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/msgdef"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

//go:embed profiles/*.toml
var shipped embed.FS

// Names returns the names of the profiles that ship, sorted.
func Names() []string {
	entries, err := shipped.ReadDir("profiles")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	return names
}

// Text returns the text of a profile that ships.
func Text(name string) ([]byte, bool) {
	data, err := shipped.ReadFile("profiles/" + name + ".toml")
	return data, err == nil
}

// Load reads a profile by the name of one that ships or by a path; a path beats a name. Its error joins everything that is wrong.
func Load(nameOrPath string) (*Profile, error) { return load(nameOrPath, nil) }

// load reads a profile that those of chain include.
func load(name string, chain []string) (*Profile, error) {
	filename := name
	data, err := os.ReadFile(name)
	if err != nil {
		var ok bool
		if data, ok = Text(name); !ok {
			return nil, missing(name, err)
		}
		filename = "omnipitch:profiles/" + name + ".toml"
	}
	return parse(name, filename, data, append(chain, name))
}

func missing(name string, err error) error {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml") {
		return fmt.Errorf("cannot be read: %w", rootCause(err))
	}
	if near := schema.Nearest(name, Names()); near != "" {
		return fmt.Errorf("is no profile that ships with omnipitch and no file, did you mean %q?", near)
	}
	return fmt.Errorf("is no profile that ships with omnipitch and no file; there are %s", strings.Join(Names(), ", "))
}

func rootCause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// parse reads a profile from the text of a file. Folders of types and paths of profiles start from the folder of filename.
func parse(name, filename string, data []byte, chain []string) (*Profile, error) {
	file, err := schema.Parse(filename, data)
	if err != nil {
		return nil, err
	}
	p := &Profile{Name: name, file: file, Library: &msgdef.Library{}}
	p.SetDefaults()
	if err := file.Bind(p); err != nil {
		return nil, err
	}
	p.settle()
	dir := filepath.Dir(filename)
	var errs []error
	for i, types := range p.Types {
		var err error
		if p.Types[i], err = typesAt(types, dir); err != nil {
			errs = append(errs, &schema.Violation{Key: fmt.Sprintf("types[%d]", i), Value: types, Rule: err.Error()})
		}
	}
	for i, base := range p.Include {
		if err := p.include(base, dir, chain); err != nil {
			errs = append(errs, &schema.Violation{Key: fmt.Sprintf("include[%d]", i), Value: base, Rule: err.Error()})
		}
	}
	if err := file.Locate(errors.Join(errs...)); err != nil {
		return nil, err
	}
	for _, types := range p.Types {
		if err := p.addTypes(types); err != nil {
			return nil, fmt.Errorf("%s: types: %w", filename, err)
		}
	}
	return p, nil
}

// typesAt is a dialect as it is, and a folder from where it starts.
func typesAt(types, dir string) (string, error) {
	if slices.Contains(msgdef.Dialects(), types) {
		return types, nil
	}
	if !filepath.IsAbs(types) {
		types = filepath.Join(dir, types)
	}
	if info, err := os.Stat(types); err != nil || !info.IsDir() {
		return types, fmt.Errorf("is no folder, and none of the dialects that ship: %s", strings.Join(msgdef.Dialects(), ", "))
	}
	return types, nil
}

// addTypes adds a dialect's types, or a folder's.
func (p *Profile) addTypes(types string) error {
	if slices.Contains(msgdef.Dialects(), types) {
		return p.Library.AddDialect(types)
	}
	return p.Library.AddFS(os.DirFS(types))
}
