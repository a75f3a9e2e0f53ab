// Package models writes glTF files for tests.
package models

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Text returns a glTF file with one mesh, which each of the given number of nodes contains. The positions are in
// metres, with y up. Each triangle has three indices. If normals is true, the file has normals, which all point up.
func Text(positions [][3]float32, indices []uint32, normals bool, nodes int) string {
	var data []byte
	add := func(vectors ...[3]float32) {
		for _, v := range vectors {
			for _, x := range v {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			}
		}
	}
	add(positions...)
	first := len(data)
	attributes := `{"POSITION": 0}`
	if normals {
		attributes = `{"POSITION": 0, "NORMAL": 2}`
		for range positions {
			add([3]float32{0, 1, 0})
		}
	}
	second := len(data)
	for _, i := range indices {
		data = binary.LittleEndian.AppendUint32(data, i)
	}
	return fmt.Sprintf(`{"asset": {"version": "2.0"}, "nodes": [%s], "meshes": [{"primitives": [{"attributes": %s, "indices": 1}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": %d}, {"bufferView": 1, "componentType": 5125, "type": "SCALAR", "count": %d},
{"bufferView": 2, "componentType": 5126, "type": "VEC3", "count": %[3]d}],
"bufferViews": [{"buffer": 0, "byteLength": %[5]d}, {"buffer": 0, "byteOffset": %[6]d, "byteLength": %[7]d}, {"buffer": 0, "byteOffset": %[5]d, "byteLength": %[8]d}],
"buffers": [{"byteLength": %[9]d, "uri": "data:;base64,%[10]s"}]}`,
		strings.TrimSuffix(strings.Repeat(`{"mesh":0},`, nodes), ","), attributes, len(positions), len(indices),
		first, second, len(data)-second, second-first, len(data), base64.StdEncoding.EncodeToString(data))
}

// Grid returns the mesh of a square carpet with sides of the given size, and with one corner at the origin. It consists
// of n × n squares of two triangles each.
func Grid(n int, size float32) (positions [][3]float32, indices []uint32) {
	for i := range (n + 1) * (n + 1) {
		positions = append(positions, [3]float32{float32(i%(n+1)) * size / float32(n), 0, float32(i/(n+1)) *
			size / float32(n)})
	}
	at := func(x, z int) uint32 { return uint32(z*(n+1) + x) }
	for i := range n * n {
		x, z := i%n, i/n
		indices = append(indices, at(x, z), at(x, z+1), at(x+1, z), at(x+1, z), at(x, z+1), at(x+1, z+1))
	}
	return positions, indices
}
