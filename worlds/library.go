package worlds

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

//go:embed *.toml fields/*.toml robots/*.toml props/*.gltf
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

// read returns a file by the name of a shipped one or by a path, and what to call it. A path beats a name: what
// exists as a file is that file. Relative paths start from the folder of the file that refers to it.
func (l library) read(name, from string) (filename string, data []byte, err error) {
	asPath := name
	if from != "" && !filepath.IsAbs(name) && !strings.HasPrefix(from, embeddedPrefix) {
		asPath = filepath.Join(filepath.Dir(from), name)
	}
	info, err := os.Stat(asPath)
	folder := err == nil && info.IsDir()
	if err == nil && !folder {
		data, err = os.ReadFile(asPath)
		if err != nil {
			return "", nil, fmt.Errorf("cannot be read: %w", rootCause(err))
		}
		return asPath, data, nil
	}
	inside := path.Join(l.folder, name+".toml")
	if data, embedErr := shipped.ReadFile(inside); embedErr == nil {
		return embeddedPrefix + inside, data, nil
	}
	if folder {
		return "", nil, fmt.Errorf("is a folder, not a file: %s", asPath)
	}
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml") {
		return "", nil, fmt.Errorf("no such file: %s", asPath)
	}
	rule := fmt.Sprintf("is no %s that ships with omnipitch and no file", l.kind)
	if near := schema.Nearest(name, l.names()); near != "" {
		rule += fmt.Sprintf(", did you mean %q?", near)
	} else {
		rule += "; there are " + strings.Join(l.names(), ", ")
	}
	return "", nil, errors.New(rule)
}

// open reads and parses a file that another refers to.
func (l library) open(name, from string) (*schema.File, error) {
	filename, data, err := l.read(name, from)
	if err != nil {
		return nil, err
	}
	return schema.Parse(filename, data)
}

// rootCause strips the operation and the path that the message has already.
func rootCause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
