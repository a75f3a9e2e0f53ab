package keyframe

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Value saves or restores the data to which the pointer p points: numbers, strings and truth values, and structs,
// arrays, slices and pointers of such data. It panics for other types, and for structs with unexported fields. Slices
// reuse their memory; an empty slice and nil are the same.
func (c *Codec) Value(p any) { c.value(reflect.ValueOf(p).Elem()) }

func (c *Codec) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		b := v.Bool()
		c.Bool(&b)
		if c.restored() {
			v.SetBool(b)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i := v.Int()
		c.Int64(&i)
		if c.fails(!v.OverflowInt(i)) {
			c.Check(false, "has an integer that is too large: %d", i)
		}
		if c.restored() {
			v.SetInt(i)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		u := v.Uint()
		c.Uint(&u)
		if c.fails(!v.OverflowUint(u)) {
			c.Check(false, "has an integer that is too large: %d", u)
		}
		if c.restored() {
			v.SetUint(u)
		}
	case reflect.Float64:
		c.Float((*float64)(unsafe.Pointer(v.UnsafeAddr())))
	case reflect.Float32:
		c.Single((*float32)(unsafe.Pointer(v.UnsafeAddr())))
	case reflect.String:
		Text(c, (*string)(unsafe.Pointer(v.UnsafeAddr())))
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if !f.CanInterface() {
				panic(fmt.Sprintf("keyframe: %v has fields that are not exported", v.Type()))
			}
			c.value(f)
		}
	case reflect.Array:
		if v.Type().Elem().Kind() == reflect.Float64 { // the most frequent case
			c.Floats(unsafe.Slice((*float64)(unsafe.Pointer(v.UnsafeAddr())), v.Len()))
			return
		}
		for i := range v.Len() {
			c.value(v.Index(i))
		}
	case reflect.Slice:
		c.list(v)
	case reflect.Pointer:
		c.pointer(v)
	default:
		panic(fmt.Sprintf("keyframe: %v is no plain data", v.Type()))
	}
}

// restored reports whether a field is to be set.
func (c *Codec) restored() bool { return c.restoring && c.err == nil }

// list saves or restores a slice; an empty slice and nil are the same.
func (c *Codec) list(v reflect.Value) {
	n := c.Count(v.Len())
	if c.restored() {
		v.SetLen(min(n, v.Len()))
	}
	for i := range n {
		if i == v.Len() {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		}
		if c.value(v.Index(i)); c.err != nil {
			return
		}
	}
}

// pointer saves or restores the value behind a pointer, which may be nil.
func (c *Codec) pointer(v reflect.Value) {
	known := !v.IsNil()
	if c.Bool(&known); c.err != nil {
		return
	}
	if c.restoring {
		v.SetZero()
	}
	if !known {
		return
	}
	if c.restoring { // never overwrite the old value: it may be shared
		v.Set(reflect.New(v.Type().Elem()))
	}
	c.value(v.Elem())
}
