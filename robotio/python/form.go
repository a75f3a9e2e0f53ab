package python

import (
	"reflect"
	"unsafe"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// form lists the arrays of an observation. It depends on the sensor and its level.
type form struct {
	id      int
	content content
	arrays  []array
}

// array is one array of an observation.
type array struct {
	// name of the array; "" for an array of one record whose fields are values of the observation itself
	name string
	record
	// find returns the address of the first element and the number of elements in an observation.
	find func(o any) (unsafe.Pointer, int)
	rows []int // shape of an image before the shape of its elements; nil for a list
}

// arrayJSON describes an array to Python. The array's number of elements is in the table (header.Counts).
type arrayJSON struct {
	Name  string `json:"name"`
	DType any    `json:"dtype"`
	// shape of one element; for an image, of the whole image
	Shape []int `json:"shape"`
	Image bool  `json:"image"`
}

func (f *form) describe() (all []arrayJSON) {
	for i := range f.arrays {
		a := &f.arrays[i]
		all = append(all, arrayJSON{a.name, a.dtype, append(append([]int{}, a.rows...), a.shape...), a.rows != nil})
	}
	return all
}

// addStruct adds the arrays of a struct: one record with all fields that are no slices, and a list for each slice. pick
// returns the address of the struct in an observation.
func (f *form) addStruct(t reflect.Type, textLength int, pick func(o any) unsafe.Pointer) {
	if r := recordOf(t, textLength); len(r.dtype.(dtypeTable).Names) > 0 {
		f.arrays = append(f.arrays, array{record: r, find: func(o any) (unsafe.Pointer, int) { return pick(o), 1 }})
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Type.Kind() != reflect.Slice || !field.IsExported() {
			continue
		}
		f.arrays = append(f.arrays, array{name: snakeCase(field.Name), record: recordOf(field.Type.Elem(), textLength),
			find: func(o any) (unsafe.Pointer, int) {
				s := (*[]byte)(unsafe.Add(pick(o), field.Offset)) // the header of a slice is the same for all types
				return unsafe.Pointer(unsafe.SliceData(*s)), len(*s)
			}})
	}
}

// addImage adds an image of the given shape, whose elements have type T.
func addImage[T any](f *form, name string, pick func(o *sensors.Observation) []T, shape ...int) {
	f.arrays = append(f.arrays, array{name: name, record: recordOf(reflect.TypeFor[T](), 0), rows: shape,
		find: func(o any) (unsafe.Pointer, int) {
			pixels := pick(o.(*sensors.Observation))
			return unsafe.Pointer(unsafe.SliceData(pixels)), len(pixels)
		}})
}

// formOf returns the form of an observation. Texts have the given length.
func formOf(o *sensors.Observation, textLength int) *form {
	f := &form{}
	_, lidar := o.Reading.(*sensors.PointCloud)
	if o.Color != nil || o.Depth != nil || o.Features != nil || o.Objects != nil || lidar {
		f.addPose(textLength)
	}
	if im := o.Color; im != nil {
		addImage(f, "image", func(o *sensors.Observation) []byte { return o.Color.Pix }, im.Height, im.Width, 3)
	}
	if d := o.Depth; d != nil {
		addImage(f, "depth", func(o *sensors.Observation) []float32 { return o.Depth.Z }, d.Height, d.Width)
	}
	if t := o.Truth; t != nil {
		addImage(f, "true_labels", func(o *sensors.Observation) []uint16 { return o.Truth.Labels }, t.Height, t.Width)
		addImage(f, "true_range", func(o *sensors.Observation) []float32 { return o.Truth.Range }, t.Height, t.Width)
		addImage(f, "true_normals", func(o *sensors.Observation) []float32 { return o.Truth.Normals }, t.Height,
			t.Width, 3)
		addImage(f, "true_flow", func(o *sensors.Observation) []float32 { return o.Truth.Flow }, t.Height, t.Width, 2)
	}
	switch {
	case o.Features != nil:
		f.addStruct(reflect.TypeOf(o.Features).Elem(), textLength, func(o any) unsafe.Pointer {
			return unsafe.Pointer(o.(*sensors.Observation).Features)
		})
	case o.Objects != nil:
		f.addStruct(reflect.TypeOf(o.Objects).Elem(), textLength, func(o any) unsafe.Pointer {
			return unsafe.Pointer(o.(*sensors.Observation).Objects)
		})
	case o.Reading != nil && reflect.TypeOf(o.Reading).Kind() == reflect.Pointer:
		f.addStruct(reflect.TypeOf(o.Reading).Elem(), textLength, func(o any) unsafe.Pointer {
			return reflect.ValueOf(o.(*sensors.Observation).Reading).UnsafePointer()
		})
	}
	return f
}

// addPose adds the pose of a camera or a lidar on its robot.
func (f *form) addPose(textLength int) {
	t := reflect.TypeFor[sensors.Observation]()
	field, _ := t.FieldByName("PoseBC")
	r := recordOf(reflect.StructOf([]reflect.StructField{{Name: "PoseBC", Type: field.Type}}), textLength)
	f.arrays = append(f.arrays, array{record: r, find: func(o any) (unsafe.Pointer, int) {
		return unsafe.Pointer(&o.(*sensors.Observation).PoseBC), 1
	}})
}

// truthForm returns the form of the true state.
func truthForm(textLength int) *form {
	f := &form{}
	f.addStruct(reflect.TypeFor[physics.Snapshot](), textLength, func(o any) unsafe.Pointer {
		return unsafe.Pointer(o.(*physics.Snapshot))
	})
	return f
}
