package worlds

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Field is a field's dimensions. A file gives the name of a field, a path, or a table.
type Field struct{ physics.Field }

// defaultField returns the league's field of 2016, which most published software assumes.
func defaultField() (f Field) {
	file, err := new(sources).open(fieldFiles, "msl-18x12", embeddedPrefix)
	if err == nil {
		err = file.Bind(&f.Field)
	}
	if err != nil {
		panic(err) // it ships with the program, and a test loads it
	}
	return f
}

// TakesName marks that a field may be a name or a path.
func (f *Field) TakesName() {}

// BindNode accepts all three. A table leaves the keys that it does not give unchanged in the receiver.
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
