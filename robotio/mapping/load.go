package mapping

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

//go:embed profiles/*.toml
var shipped embed.FS

// ProfileNames returns the names of the profiles that ship, sorted.
func ProfileNames() []string {
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

// ProfileText returns the text of a profile that ships.
func ProfileText(name string) ([]byte, bool) {
	data, err := shipped.ReadFile("profiles/" + name + ".toml")
	return data, err == nil
}

// Load reads a profile by its path, or by its name if it ships. If both exist, the path counts. The error joins all
// violations.
func Load(nameOrPath string) (*Profile, error) { return new(loader).Load(nameOrPath) }

// IsProfile reports whether the file at a path is a profile rather than a world: it has keys that only profiles have,
// and none that only worlds have. A file of more than 128 KiB is taken for a world.
func IsProfile(path string) bool {
	const most = 128 << 10
	data, err := files.Read(path, most)
	if err != nil {
		return false
	}
	file, err := schema.Parse(path, data)
	if err != nil {
		return false
	}
	profile, world := topKeys(&Profile{}), topKeys(&worlds.World{})
	own := 0
	for _, key := range file.Root().Keys() {
		if world[key] && !profile[key] {
			return false
		}
		if profile[key] && !world[key] {
			own++
		}
	}
	return own > 0
}

// topKeys returns the keys of the outermost table of a file.
func topKeys(cfg any) map[string]bool {
	keys := map[string]bool{}
	fields, _ := rules.Fields(rules.RootStruct(cfg))
	for _, f := range fields {
		keys[f.Key] = true
	}
	return keys
}

// Limits of the profiles of one world, far above those of real profiles.
const (
	maxFiles = 64 // profiles, elements of include, and elements of types
	maxBytes = 4 << 20
)

// shippedPrefix begins the file names of profiles that ship.
const shippedPrefix = "omnipitch:profiles/"

// loader loads the profiles of one world, each file once, and limits their number and size. The zero value is ready.
// One goroutine at a time may use it.
type loader struct {
	in     *files.FS           // nil: the machine's file system
	read   map[string]*Profile // by file name, without Library
	bytes  int
	loaded int // calls of Load
}

// Load is like the function Load.
func (l *loader) Load(nameOrPath string) (*Profile, error) {
	if l.loaded++; l.loaded > maxFiles {
		return nil, tooMany()
	}
	base, err := l.load(nameOrPath, nil)
	if err != nil {
		return nil, err
	}
	p := *base
	p.Library = &msg.Library{}
	for _, types := range p.Types {
		if err := l.addTypes(p.Library, types); err != nil {
			return nil, p.Locate(&schema.Violation{Key: "types", Rule: err.Error()})
		}
	}
	return &p, nil
}

// load reads a profile without its Library. chain holds the file names of the profiles that include it.
func (l *loader) load(name string, chain []string) (*Profile, error) {
	filename := filepath.Clean(name)
	if p := l.read[filename]; p != nil {
		return p, nil
	}
	data, err := l.in.Read(name, schema.MaxBytes)
	if err != nil {
		embedded := shippedPrefix + name + ".toml"
		if p := l.read[embedded]; p != nil {
			return p, nil
		}
		var ok bool
		if data, ok = ProfileText(name); !ok {
			return nil, missing(name, err)
		}
		filename = embedded
	}
	if slices.Contains(chain, filename) || len(chain) >= maxDepth {
		return nil, fmt.Errorf("includes itself, or is nested deeper than %d: %s", maxDepth,
			strings.Join(append(chain, filename), " → "))
	}
	if l.bytes += len(data); len(l.read) >= maxFiles || l.bytes > maxBytes {
		return nil, tooMany()
	}
	p, err := l.parse(name, filename, data, append(slices.Clone(chain), filename))
	if err != nil {
		return nil, err
	}
	if l.read == nil {
		l.read = map[string]*Profile{}
	}
	l.read[filename] = p
	return p, nil
}

func tooMany() error {
	return fmt.Errorf("is one too many: a world may have %d profiles of %d MiB in all", maxFiles, maxBytes>>20)
}

func missing(name string, err error) error {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml") || !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot be read: %w", err)
	}
	if near := rules.Nearest(name, ProfileNames()); near != "" {
		return fmt.Errorf("is no profile that ships with omnipitch and no file, did you mean %q?", near)
	}
	return fmt.Errorf("is no profile that ships with omnipitch and no file; there are %s", strings.Join(ProfileNames(),
		", "))
}

// parse reads a profile from the text of a file. Paths in the profile are relative to the folder of filename.
func (l *loader) parse(name, filename string, data []byte, chain []string) (*Profile, error) {
	file, err := schema.Parse(filename, data)
	if err != nil {
		return nil, err
	}
	p := &Profile{Name: name, file: file, ships: strings.HasPrefix(filename, shippedPrefix)}
	p.SetDefaults()
	if err := file.Bind(p); err != nil {
		return nil, err
	}
	p.setOrigins()
	dir := filepath.Dir(filename)
	var errs []error
	if most := max(len(p.Types), len(p.Include)); most > maxFiles {
		return nil, p.Locate(&schema.Violation{Rule: fmt.Sprintf("types or include has %d elements: must have at "+
			"most %d", most, maxFiles)})
	}
	for i, types := range p.Types {
		var err error
		if p.Types[i], err = l.typesAt(types, dir); err != nil {
			errs = append(errs, &schema.Violation{Key: fmt.Sprintf("types[%d]", i), Value: types, Rule: err.Error()})
		}
	}
	for i, base := range p.Include {
		if err := l.include(p, base, dir, chain); err != nil {
			errs = append(errs, &schema.Violation{Key: fmt.Sprintf("include[%d]", i), Value: base, Rule: err.Error()})
		}
	}
	if err := file.Locate(errors.Join(errs...)); err != nil {
		return nil, err
	}
	p.Types = removeRepeated(p.Types)
	return p, nil
}

// maxDepth bounds how deep includes are nested; a guess.
const maxDepth = 8

// include adds the types and entries of another profile to p, before p's own. Entries of p replace entries with the
// same name.
func (l *loader) include(p *Profile, name, dir string, chain []string) error {
	base, err := l.load(includePath(name, dir), chain)
	if err != nil {
		return err
	}
	p.bases = append(append(p.bases, base.Name), base.bases...)
	p.Types = slices.Concat(base.Types, p.Types)
	p.addExtras(base)
	p.Names, p.Params = override(base.Names, p.Names), override(base.Params, p.Params)
	if p.Reach == nil {
		p.Reach = base.Reach
	}
	if p.Turned == nil {
		p.Turned = base.Turned
	}
	p.Publish = merge(p.Publish, base.Publish, func(e *Publish) string { return e.Topic })
	p.Subscribe = merge(p.Subscribe, base.Subscribe, func(e *Subscribe) string { return e.Topic })
	p.Services = merge(p.Services, base.Services, func(e *Service) string { return e.Name })
	p.Calls = merge(p.Calls, base.Calls, func(e *Call) string { return e.Service })
	p.Beliefs = merge(p.Beliefs, base.Beliefs, func(e *Belief) string { return e.Topic })
	return nil
}

// includePath returns the path, or the name, of a profile that one in the folder dir includes as name.
func includePath(name, dir string) string {
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		return filepath.Join(dir, name)
	}
	return name
}

// override returns the union of base and own. Where both have a key, the value of own counts.
func override[V any](base, own map[string]V) map[string]V {
	m := maps.Clone(base)
	if m == nil {
		return own
	}
	maps.Copy(m, own)
	return m
}

// merge returns the entries of base whose names own lacks, followed by those of own.
func merge[E any](own, base []E, name func(*E) string) []E {
	has := map[string]bool{}
	for i := range own {
		has[name(&own[i])] = true
	}
	var all []E
	for i := range base {
		if !has[name(&base[i])] {
			all = append(all, base[i])
		}
	}
	return append(all, own...)
}

// removeRepeated removes elements that occur again later.
func removeRepeated(list []string) (kept []string) {
	for i, x := range list {
		if !slices.Contains(list[i+1:], x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// typesAt returns the name of a dialect that ships unchanged, and the path of a folder relative to dir.
func (l *loader) typesAt(types, dir string) (string, error) {
	if slices.Contains(msg.Dialects(), types) {
		return types, nil
	}
	if !filepath.IsAbs(types) {
		types = filepath.Join(dir, types)
	}
	if info, err := l.in.Stat(types); err != nil || !info.IsDir() {
		return types, fmt.Errorf("must be a folder, or a dialect that ships: %s", strings.Join(msg.Dialects(), ", "))
	}
	return types, nil
}

// addTypes adds the types of a dialect that ships, or of a folder, to a library.
func (l *loader) addTypes(to *msg.Library, types string) error {
	if slices.Contains(msg.Dialects(), types) {
		return to.AddDialect(types)
	}
	return to.AddFS(l.in.Folder(types, msg.MaxText))
}
