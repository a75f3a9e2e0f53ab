package worlds

import (
	"errors"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Hall describes the surroundings of the field.
type Hall struct {
	render.Hall
	Bystanders int         `toml:"bystanders" range:"[0, 60]" doc:"number of people who stand behind the boards and watch"`
	Clutter    float64     `toml:"clutter" range:"[0, 1]" doc:"amount of cables, bags, boxes and tables next to the lines and behind the boards; 1 means one for each 0.7 m"`
	Seed       uint64      `toml:"seed" range:"[0, 1000000]" doc:"seed of bystanders, clutter and spectators, which only images show and nothing touches, and of the wear of carpet and lines"`
	Balls      []ExtraBall `toml:"ball" merge:"name" maxlen:"100" doc:"additional balls, which are not the game's; only images show them, and nothing touches them"`
}

// FindLamp fails unless name is that of a lamp near the field.
func (w *World) FindLamp(name string) error {
	if slices.ContainsFunc(w.Light.Spots, func(s render.Spot) bool { return s.Name == name && name != "" }) {
		return nil
	}
	return errors.New("there is no such lamp among [[light.spot]]")
}

// validateColors reports invalid colours in a world that was built in Go. In files, the reader reports them.
func (w *World) validateColors() error {
	var errs []error
	for _, l := range w.looks() {
		if _, err := l.color.Linear(); err != nil && l.color != "" {
			errs = append(errs, &schema.Violation{Path: l.path, Key: l.key, Value: string(l.color), Rule: err.Error()})
		}
	}
	return errors.Join(errs...)
}

// Field is the dimensions of a field. A world file gives a field by the name of a shipped field, by a path, or by a
// table. The value false leaves a bare floor.
type Field struct{ physics.Field }

// defaultField returns the field of the league in 2016. Most published software assumes this field.
func defaultField() (f Field) {
	f.SetDefaults()
	file, err := new(sources).open(fieldFiles, "msl-18x12", embeddedPrefix)
	if err == nil {
		err = file.Bind(&f.Field)
	}
	if err != nil {
		panic(err) // never happens: the field ships with the program, and a test loads it
	}
	return f
}

// TakesName marks, for package schema, that a world file may give the field by a name or a path.
func (f *Field) TakesName() {}

// TakesFalse marks, for package schema, that field = false leaves a bare floor.
func (f *Field) TakesFalse() {}

// BindNode accepts a name, a path, a table or false. Keys that a table does not give stay unchanged in the receiver.
func (f *Field) BindNode(n *schema.Node) error {
	if n.False() {
		f.HasGoals, f.HasLines, f.HasBoards, f.Border = false, false, false, 0
		f.Name, f.Length, f.Width = "floor", defaultFloor[0], defaultFloor[1]
		return nil
	}
	name, ok := n.Text()
	if !ok {
		f.Name = "custom"
		return n.Bind(&f.Field)
	}
	file, err := sourcesOf(n).open(fieldFiles, name, n.File())
	if err != nil {
		return n.Errorf("%w", err)
	}
	read := physics.Field{HasGoals: true, HasLines: true, HasBoards: true, Name: name}
	read.SetDefaults()
	if err := n.In(file).Bind(&read); err != nil {
		return err // the error is in the field's file; this world keeps the valid field that it has
	}
	f.Field = read
	return nil
}
