package msg

import (
	"encoding/binary"
	"unsafe"
)

var le = binary.LittleEndian

func (p *plan) encode(b []byte, m unsafe.Pointer) []byte {
	for i := range p.ops {
		o := &p.ops[i]
		b = o.encode(b, unsafe.Add(m, o.off))
	}
	return b
}

func (o *op) encode(b []byte, v unsafe.Pointer) []byte {
	switch o.kind {
	case kBool:
		if *(*bool)(v) {
			return append(b, 1)
		}
		return append(b, 0)
	case k1:
		return append(b, *(*byte)(v))
	case k2:
		return le.AppendUint16(b, *(*uint16)(v))
	case k4:
		return le.AppendUint32(b, *(*uint32)(v))
	case k8:
		return le.AppendUint64(b, *(*uint64)(v))
	case kString:
		s := *(*string)(v)
		return append(le.AppendUint32(b, uint32(len(s))), s...)
	case kStruct:
		return o.plan.encode(b, v)
	case kArray:
		return o.encodeElems(b, v, o.n)
	}
	// kSlice: any slice's length and data lie where a []byte's do.
	s := *(*[]byte)(v)
	b = le.AppendUint32(b, uint32(len(s)))
	return o.encodeElems(b, unsafe.Pointer(unsafe.SliceData(s)), len(s))
}

func (o *op) encodeElems(b []byte, v unsafe.Pointer, n int) []byte {
	if o.elem.kind == k1 {
		return append(b, unsafe.Slice((*byte)(v), n)...)
	}
	for i := range n {
		b = o.elem.encode(b, unsafe.Add(v, uintptr(i)*o.size))
	}
	return b
}
