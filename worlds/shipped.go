package worlds

import (
	"fmt"
	"path"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// ShippedFile is a world, robot model or field that ships with the program.
type ShippedFile struct {
	Kind, Name string
	About      string // description in one sentence; for a field, its size
}

var libraries = []library{worldFiles, robotModels, fieldFiles}

// Shipped lists the worlds, robot models and fields that ship with the program. Files of each kind are sorted by name.
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
	var f Field
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
