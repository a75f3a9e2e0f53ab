package worlds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/animation"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Bundle is a world with every file that it needs. Keys are the names of the files within the bundle, with slashes. A
// bundle gives the same world on a machine that has none of the files. Its world.toml is the world's effective file,
// which refers to no file outside the bundle. Files that ship with the program are not included. The bytes must not
// change.
type Bundle map[string][]byte

// Limits of bundles. All models together may take 32 MiB, all texts 4 MiB, all profiles 4 MiB, and the message
// definitions of each profile 8 MiB.
const (
	maxMembers     = 20_000
	maxBundleBytes = 64 << 20
	maxDrawn       = 64 // largest number of worlds for the seeds with which events restart the world
)

// Bundle returns the world with its files. The bundle also contains the world for every seed with which an event
// restarts it, see [World.WithSeed]. The function profile adds the profile with a name or path, and the files that the
// profile needs, to the bundle. It returns the profile's name in the bundle. If profile is nil, profiles given by a
// path are left out. Bundle fails for an invalid world, and for a world that is too large for a file or a bundle. The
// same world always gives the same bytes.
func (w *World) Bundle(profile func(b Bundle, nameOrPath string) string) (Bundle, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	p := packer{bundle: Bundle{}, in: w.Source(), names: map[string]string{}, addProfile: profile}
	if err := p.world(w, "world"); err != nil {
		return nil, err
	}
	if w.Random() || w.drawnElsewhere() {
		if err := p.draws(w); err != nil {
			return nil, err
		}
	}
	return p.bundle, p.bundle.check()
}

// check returns an error if the bundle is too large.
func (b Bundle) check() error {
	bytes := 0
	for name, data := range b {
		bytes += len(name) + len(data)
	}
	if len(b) > maxMembers || bytes > maxBundleBytes {
		return fmt.Errorf("%d files with %.1f MiB: a world and what it needs are at most %d files and %d MiB", len(b),
			float64(bytes)/(1<<20), maxMembers, maxBundleBytes>>20)
	}
	return nil
}

// packer adds worlds to a bundle.
type packer struct {
	bundle     Bundle
	in         *files.FS
	names      map[string]string // names of props, maps and profiles in the bundle, by their paths
	models     int
	robots     int // described by files
	addProfile func(Bundle, string) string
	err        error // first error about a prop or a map
}

// world adds a world, and the files that the world needs, to the bundle.
func (p *packer) world(w *World, name string) error {
	alone := w.standalone(placement{p.prop, p.profile, p.occupancy, p.texture, p.animation, p.robot})
	alone.Programs = slices.Clone(w.Programs)
	for i := range alone.Programs {
		alone.Programs[i].Folder = ""
	}
	if p.err != nil {
		return p.err
	}
	in, err := files.Memory(p.bundle)
	if err != nil {
		return err
	}
	e := effective{World: w, in: in, plain: true}
	text, again, err := e.text(alone)
	if err != nil {
		return err
	}
	fine, err := exactOf(alone, again)
	if err != nil {
		return err
	}
	p.bundle[name+".toml"] = text
	if fine != nil {
		p.bundle[name+exactSuffix] = fine
	}
	return nil
}

// prop adds the glTF model of a prop, and returns its name in the bundle.
func (p *packer) prop(file string) string {
	name, known := p.names[file]
	if known {
		return name
	}
	read, err := models.Files(p.in, file)
	if err != nil {
		p.err = errors.Join(p.err, fmt.Errorf("%s: %w", file, err))
	}
	p.models++
	folder := fmt.Sprintf("models/%d/", p.models)
	for beside, data := range read {
		p.bundle[folder+beside] = data
	}
	p.names[file] = folder + filepath.Base(file)
	return p.names[file]
}

// robot adds a file that describes a robot, with its meshes, and returns its name in the bundle.
func (p *packer) robot(d *described) string {
	file := d.path
	if name, known := p.names[file]; known {
		return name
	}
	p.robots++
	folder := fmt.Sprintf("robots/%d/", p.robots)
	name := folder + filepath.Base(file)
	p.names[file], p.bundle[name] = name, []byte(d.text)
	for _, mesh := range d.Meshes() {
		at, err := meshFile(p.in, file, mesh)
		var read map[string][]byte
		if err == nil {
			read, err = models.Files(p.in, at)
		}
		if err != nil {
			p.err = errors.Join(p.err, fmt.Errorf("%s: mesh %q: %w", file, mesh, err))
		}
		for beside, data := range read {
			p.bundle[folder+path.Dir(bundledMesh(mesh))+"/"+beside] = data
		}
	}
	return name
}

// occupancy adds a map, with an image of its trinary cells, and returns its name in the bundle.
func (p *packer) occupancy(file string) string {
	name, known := p.names[file]
	if known {
		return name
	}
	p.models++
	name = fmt.Sprintf("models/%d/map", p.models)
	grid, err := mapFile{path: file}.read(p.in)
	if err == nil {
		var yaml, image bytes.Buffer
		err = errors.Join(grid.WriteYAML(&yaml, "map.pgm"), grid.WritePGM(&image))
		p.bundle[name+".yaml"], p.bundle[name+".pgm"] = yaml.Bytes(), image.Bytes()
	}
	if err != nil {
		p.err = errors.Join(p.err, err)
	}
	p.names[file] = name + ".yaml"
	return p.names[file]
}

// texture adds the image of a texture, and returns its name in the bundle.
func (p *packer) texture(file string) string { return p.plainFile(file, maxTextureBytes) }

// plainFile adds a file that needs no other, and returns its name in the bundle.
func (p *packer) plainFile(file string, most int) string {
	name, known := p.names[file]
	if known {
		return name
	}
	data, err := p.in.Read(file, most)
	if err != nil {
		p.err = errors.Join(p.err, fmt.Errorf("%s: %w", file, err))
	}
	p.models++
	name = fmt.Sprintf("models/%d/%s", p.models, filepath.Base(file))
	p.bundle[name], p.names[file] = data, name
	return name
}

// animation adds the file of an animation, and returns its name in the bundle.
func (p *packer) animation(file string) string { return p.plainFile(file, animation.MaxBytes) }

// profile adds a profile, and returns its name in the bundle.
func (p *packer) profile(nameOrPath string) string {
	switch {
	case p.addProfile != nil:
		return p.addProfile(p.bundle, nameOrPath)
	case isPath(nameOrPath):
		return "profiles/" + filepath.Base(nameOrPath)
	}
	return nameOrPath
}

// draws adds further worlds to the bundle if w is random: one for the seed of w, and one for each seed with which
// events restart w.
func (p *packer) draws(w *World) error {
	seeds := append([]uint64{w.Seed}, w.resets()...)
	for i := 0; i < len(seeds); i++ {
		if i >= maxDrawn {
			return fmt.Errorf("events restart with more than %d seeds: a bundle holds the world of each", maxDrawn)
		}
		drawn, err := w.WithSeed(seeds[i])
		if err != nil {
			continue // the seed gives no valid world, so the event will also fail in the bundle's world
		}
		if err := p.world(drawn, drawnName(seeds[i])); err != nil {
			return err
		}
		for _, seed := range drawn.resets() {
			if !slices.Contains(seeds, seed) {
				seeds = append(seeds, seed)
			}
		}
	}
	return nil
}

// resets returns the seeds with which events restart the world.
func (w *World) resets() (seeds []uint64) {
	for i := range w.Events {
		if r := w.Events[i].Reset; r != nil && r.Seed != nil && *r.Seed != w.Seed && !slices.Contains(seeds, *r.Seed) {
			seeds = append(seeds, *r.Seed)
		}
	}
	return seeds
}

// drawnName returns the name, in a bundle, of the world for a seed.
func drawnName(seed uint64) string { return fmt.Sprintf("drawn-%d", seed) }

// LoadBundle reads a world from a bundle. The world and the profiles of its robots come only from files of the bundle
// and of the program, see [World.Source]. LoadBundle ends and takes bounded memory, whatever the bundle contains. The
// error joins all problems, like that of [Load].
func LoadBundle(b Bundle, others ...func(*World) error) (*World, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	in, err := files.Memory(maps.Clone(b))
	if err != nil {
		return nil, err
	}
	return loadFrom(in, "world", others)
}

// loadFrom reads one of the worlds in a bundle.
func loadFrom(in *files.FS, name string, others []func(*World) error) (*World, error) {
	filename := name + ".toml"
	data, err := in.Read(filename, schema.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filename, err)
	}
	s := newSources(in)
	if s.exact, err = readExact(in, name+exactSuffix); err != nil {
		return nil, err
	}
	return s.parseWorld(filename, data, nil, others)
}

// drawnElsewhere reports whether the world came from the bundle of a random world.
func (w *World) drawnElsewhere() bool {
	if w.Source() == nil {
		return false
	}
	_, err := w.Source().Stat(drawnName(seedIn([]*schema.File{w.file})) + ".toml")
	return err == nil
}

// redrawn returns the world for another seed from the bundle that the world came from.
func (w *World) redrawn(seed uint64) (*World, error) {
	name := drawnName(seed)
	if _, err := w.Source().Stat(name + ".toml"); err != nil {
		return nil, fmt.Errorf("seed = %d: the world is random, and what other seeds draw than those of its events "+
			"did not come with it", seed)
	}
	return loadFrom(w.Source(), name, w.others)
}

// exact holds numbers in SI units, by the paths of their keys. It is for values that no decimal number in the key's
// unit gives exactly. Such values occur because Go code may set any value.
type exact map[string][]float64

// exactSuffix is the suffix of a bundle's files of exact numbers.
const exactSuffix = ".exact.json"

// maxExactBytes is the largest size, in bytes, of a file of exact numbers. The value is a guess: the file then has
// about ten thousand numbers.
const maxExactBytes = 1 << 20

// exactOf compares the wanted world with the world that was read from its file. It returns a file with the numbers of
// the wanted world from which the other world's numbers differ, even if only in the last bit. It returns nil if there
// are no such numbers. It fails if the two worlds differ in anything but numbers.
func exactOf(want, have *World) ([]byte, error) {
	fine := exact{}
	got := linesOf(have)
	for path, l := range linesOf(want) {
		other, there := got[path]
		a, b := numbersOf(l.Value), numbersOf(other.Value)
		switch {
		case there && other.Text == l.Text && slices.Equal(a, b):
		case there && len(a) > 0 && len(a) == len(b):
			fine[path] = a
		default:
			return nil, fmt.Errorf("%s: no file gives this: %s", path, l.Text)
		}
	}
	if len(fine) == 0 {
		return nil, nil
	}
	return json.MarshalIndent(fine, "", "  ")
}

// readExact reads a file of exact numbers. It returns nil if there is no such file.
func readExact(in *files.FS, name string) (fine exact, err error) {
	if _, err := in.Stat(name); err != nil {
		return nil, nil
	}
	data, err := in.Read(name, maxExactBytes)
	if err == nil {
		err = json.Unmarshal(data, &fine)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return fine, nil
}

// set assigns the numbers to the fields of a world.
func (e exact) set(w *World) error {
	if len(e) == 0 {
		return nil
	}
	lines := linesOf(w)
	for _, path := range slices.Sorted(maps.Keys(e)) {
		places := floatsIn(lines[path].Value)
		if len(places) != len(e[path]) || len(places) == 0 || !places[0].CanSet() {
			return &schema.Violation{Rule: fmt.Sprintf("%d exact numbers are given for %.100q, which has %d",
				len(e[path]), path, len(places))}
		}
		for i, place := range places {
			place.SetFloat(e[path][i])
		}
	}
	return nil
}

// floatsIn returns all floating-point numbers inside a value, including those inside its fields and elements.
func floatsIn(v reflect.Value) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		all = append(all, v)
	case reflect.Pointer:
		if !v.IsNil() {
			all = floatsIn(v.Elem())
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			all = append(all, floatsIn(v.Index(i))...)
		}
	}
	return all
}

func numbersOf(v reflect.Value) (all []float64) {
	for _, place := range floatsIn(v) {
		all = append(all, place.Float())
	}
	return all
}
