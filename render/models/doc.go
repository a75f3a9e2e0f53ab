// Package models reads bodies from glTF, STL, OBJ and COLLADA files, so that scenes show more than built-in shapes.
//
// Of glTF it reads all topologies of triangles, the nodes' transformations, skins and morph targets without animation,
// normals, colours of vertices, base colours and their textures (PNG or JPEG), metallic and roughness factors. The
// means of metallic-roughness textures and of metals' base colours replace them. Model.LeftOut names what a file has
// besides.
// docs/cameras.md has a table. A glTF scene's y points up and its z forward; a Group's z points up and its x forward.
// Of STL (ASCII and binary), OBJ and COLLADA it reads the polygons. Of the latter two it also reads normals, and the
// diffuse colours of materials, and of OBJ their textures. The axes of these files stay as they are.
//
//	var library models.Library
//	model, err := library.Load("chair.glb", 1)
//	scene.Add("chair", model.Group)
package models
