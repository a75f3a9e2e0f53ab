package mapping

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

//go:embed profiles/*.toml
var shipped embed.FS

// ProfileNames returns the names of the profiles that ship with omnipitch, sorted.
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

// ProfileText returns the text of a profile that ships with omnipitch. It returns false if no such profile has that
// name.
func ProfileText(name string) ([]byte, bool) {
	data, err := shipped.ReadFile("profiles/" + name + ".toml")
	return data, err == nil
}

// Load reads a profile for ROS 1, given its path, or the name of a profile that ships with omnipitch. If a file and a
// shipped profile have the same name, Load reads the file. The returned error joins all errors in the profile.
func Load(nameOrPath string) (*Profile, error) { return LoadFor(msg.ROS1, nameOrPath) }

// LoadFor is like Load for a version of ROS.
func LoadFor(v msg.Version, nameOrPath string) (*Profile, error) {
	return newLoader(nil, v, "").Load(nameOrPath)
}

// Contents reads a profile with its entries for all versions of ROS, but without message types.
func Contents(nameOrPath string) (*Profile, error) { return new(loader).load(nameOrPath, nil) }

// CheckProfile returns the errors of a profile for the first version of ROS for which it has errors.
func CheckProfile(nameOrPath string) error {
	all, err := Contents(nameOrPath)
	if err != nil {
		return err
	}
	for _, v := range all.Speaks {
		p, err := newLoader(nil, v, "").Load(nameOrPath)
		if err == nil {
			_, err = Compile(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// IsProfile reports whether the file at a path is a profile rather than a world. It is a profile if it has a key that
// only profiles have, and no key that only worlds have. IsProfile returns false for a file of more than 128 KiB.
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

// Limits of the profiles of one world, far above the needs of real profiles.
const (
	maxFiles = 64 // maximum number of profiles, of elements of include, and of elements of types
	maxBytes = 4 << 20
)

// shippedPrefix is the start of the file names of profiles that ship with omnipitch.
const shippedPrefix = "omnipitch:profiles/"

// loader loads the profiles of one world, and reads each file only once. It limits the number and the size of the
// files. Only one goroutine at a time may use it.
type loader struct {
	in           *files.FS           // file system; nil for the machine's file system
	version      msg.Version         // version of ROS; 0 for the entries of all versions
	distribution string              // of ROS 2, see msg.LoadROS2
	read         map[string]*Profile // profiles by file name; their Library is not set
	bytes        int
	loaded       int // number of calls of Load
}

// newLoader returns a loader for a version of ROS. The distribution counts only on ROS 2; if it is empty, it is jazzy.
func newLoader(in *files.FS, v msg.Version, distribution string) *loader {
	return &loader{in: in, version: v, distribution: cmp.Or(distribution, "jazzy")}
}

// otherVersionError is the error of loading a profile that is not for the version of ROS.
type otherVersionError msg.Version

func (e otherVersionError) Error() string { return fmt.Sprintf("is not for ROS %d", int(e)) }

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
	if p.Library = (&msg.Library{}); l.version == msg.ROS2 {
		if p.Library, err = msg.LoadROS2(l.distribution); err != nil {
			return nil, err
		}
	}
	for _, types := range p.Types {
		if err := l.addTypes(p.Library, types); err != nil {
			return nil, p.Locate(&schema.Violation{Key: "types", Rule: err.Error()})
		}
	}
	return &p, nil
}

// load reads a profile but does not make its Library. chain holds the file names of the profiles that include this
// profile, directly or indirectly.
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
	if p.Version = l.version; l.version != 0 {
		if !slices.Contains(p.Speaks, l.version) {
			return nil, otherVersionError(l.version)
		}
		p.keepEntries(l.version)
	}
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

// maxDepth is the maximum length of a chain of profiles in which each includes the next. 8 is a guess.
const maxDepth = 8

// include adds the types and entries of the profile with the given name to p, before the types and entries of p itself.
// If an entry of p has the same name as an added entry, the entry of p replaces it.
func (l *loader) include(p *Profile, name, dir string, chain []string) error {
	base, err := l.load(includePath(name, dir), chain)
	if err != nil {
		return err
	}
	p.bases = append(append(p.bases, base.Name), base.bases...)
	p.Types = slices.Concat(base.Types, p.Types)
	p.addExtras(base)
	p.Names, p.Params = override(base.Names, p.Names), override(base.Params, p.Params)
	p.Reach = cmp.Or(p.Reach, base.Reach)
	p.Links.Ball, p.Links.Robot = cmp.Or(p.Links.Ball, base.Links.Ball), cmp.Or(p.Links.Robot, base.Links.Robot)
	if p.Turned == nil {
		p.Turned = base.Turned
	}
	p.Publish = merge(p.Publish, base.Publish, func(e *Publish) string { return e.Topic })
	p.Subscribe = merge(p.Subscribe, base.Subscribe, func(e *Subscribe) string { return e.Topic })
	p.Replies = merge(p.Replies, base.Replies, func(e *Reply) string { return e.Topic })
	p.Services = merge(p.Services, base.Services, func(e *Service) string { return e.Name })
	p.Calls = merge(p.Calls, base.Calls, func(e *Call) string { return e.Service })
	p.Beliefs = merge(p.Beliefs, base.Beliefs, func(e *Belief) string { return e.Topic })
	return nil
}

// includePath returns the path of an included profile, or its name if it ships with omnipitch. name is an element of
// the key include, and dir is the folder of the including profile.
func includePath(name, dir string) string {
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		return filepath.Join(dir, name)
	}
	return name
}

// override returns the union of two maps. If both maps have a key, the value is from own.
func override[V any](base, own map[string]V) map[string]V {
	m := maps.Clone(base)
	if m == nil {
		return own
	}
	maps.Copy(m, own)
	return m
}

// merge returns a list of entries: first the entries of base whose names are not in own, and then all entries of own.
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

// removeRepeated removes each element that occurs again later in the list.
func removeRepeated(list []string) (kept []string) {
	for i, x := range list {
		if !slices.Contains(list[i+1:], x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// typesAt returns the path of a folder with message definitions; a relative path is relative to dir. If types is the
// name of a dialect that ships with omnipitch, typesAt returns types unchanged. It returns an error if there is no such
// folder.
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

// addTypes adds the types of a folder, or of a dialect that ships with omnipitch, to a library. ROS 2 has no dialects:
// its library already contains the types that ship.
func (l *loader) addTypes(to *msg.Library, types string) error {
	if slices.Contains(msg.Dialects(), types) {
		if l.version == msg.ROS2 {
			return nil
		}
		return to.AddDialect(types)
	}
	return to.AddFS(l.in.Folder(types, msg.MaxText))
}
