// Package models reads bodies from glTF files, so that scenes may show more than the built-in shapes.
//
// It reads triangles, normals, base colours and their textures (PNG or JPEG), metallic and roughness factors, and the
// nodes' transformations. Metallic-roughness textures and the base colours of metals are replaced by their means.
// Transparency, other textures, skins, animations and extensions are ignored. A glTF scene's y points up and its z
// forward; a Group's z points up and its x forward.
//
//	var library models.Library
//	group, err := library.Load("chair.glb", 1)
//	scene.Add("chair", group)
package models
