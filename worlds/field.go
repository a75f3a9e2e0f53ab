package worlds

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Field is the dimensions of a field. A world file gives a field by the name of a shipped field, by a path, or by a
// table.
type Field struct{ physics.Field }

// defaultField returns the field of the league in 2016. Most published software assumes this field.
func defaultField() (f Field) {
	file, err := new(sources).open(fieldFiles, "msl-18x12", embeddedPrefix)
	if err == nil {
		err = file.Bind(&f.Field)
	}
	if err != nil {
		panic(err) // the field ships with the program, and a test loads it
	}
	return f
}

// TakesName marks that a world file may give the field by a name or a path.
func (f *Field) TakesName() {}

// BindNode accepts a name, a path or a table. Keys that a table does not give stay unchanged in the receiver.
func (f *Field) BindNode(n *schema.Node) error {
	name, ok := n.Text()
	if !ok {
		f.Name = "custom"
		return n.Bind(&f.Field)
	}
	file, err := sourcesOf(n).open(fieldFiles, name, n.File())
	if err != nil {
		return n.Errorf("%w", err)
	}
	read := physics.Field{Name: name}
	if err := n.In(file).Bind(&read); err != nil {
		return err // the error is in another file: this world keeps a valid field
	}
	f.Field = read
	return nil
}
