// Package models reads bodies from glTF files, so that scenes may show more than the built-in shapes.
//
// It takes triangles, normals, base colours and their textures, PNG or JPEG, metallic and roughness factors and the
// nodes' transformations. Of metallic-roughness textures and of metals' base colours it takes the mean. Transparency,
// other textures, skins, animations and extensions are left out. A glTF scene's y points up and its z forward; a
// Group's z points up and its x forward.
//
//	var library models.Library
//	group, err := library.Load("chair.glb", 1)
//	scene.Add("chair", group)
package models
