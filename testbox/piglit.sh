#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Unpack the parts of Debian's package piglit that tests/gl/piglit.py runs, and print the folder.
#
# It stays in the cache folder and is not installed: of its 2 GB tests need 60 MB. The libraries
# that it is linked with, libwaffle above all, have to be on this machine.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

version=$(apt-cache show piglit 2>/dev/null | sed -n 's/^Version: //p' | sed -n 1p)
[ -n "$version" ] || die "the package piglit is not known here (apt-get update)"
dpkg-query -W libwaffle-1-0 >/dev/null 2>&1 || die "libwaffle-1-0 is not installed"
inside=usr/lib/x86_64-linux-gnu/piglit
parts=(
	"lib/*" bin/shader_runner "bin/fbo-*" "bin/copy*" "bin/texsubimage*"
	"bin/nv_conditional_render-*" "bin/*occlusion_query*" "bin/*transform_feedback*"
	"bin/glsl-1.50-*" "bin/gl-3.2-*" "bin/arb_pipeline_statistics_query-*"
	"bin/ext_framebuffer_multisample-*" bin/arb-provoking-vertex-clipped-geometry-flatshading
	bin/arb-provoking-vertex-render bin/clipflat bin/arb-provoking-vertex-control bin/arb-provoking-vertex-initial
	bin/arb-quads-follow-provoking-vertex bin/arb-xfb-before-flatshading
	bin/arb_draw_buffers-state_change bin/arb_framebuffer_object-depth-stencil-blit
	bin/arb_framebuffer_object-mixed-buffer-sizes
	bin/arb_framebuffer_object-negative-readpixels-no-rb bin/arb_point_sprite-checkerboard
	bin/arb_point_sprite-interactions bin/arb_sampler_objects-framebufferblit
	bin/arb_sampler_objects-sampler-incomplete bin/arb_sampler_objects-srgb-decode
	bin/arb_seamless_cubemap-initially-disabled bin/arb_seamless_cubemap-three-faces-average
	bin/arb_texture_cube_map-unusual-order bin/cubemap-mismatch bin/cubemap-shader
	bin/depth-clamp-range bin/depth-clamp-status bin/depth_clamp bin/depth_texture_mode_and_swizzle
	bin/depthfunc bin/depthrange-clear bin/dlist-clear bin/dlist-color-material
	bin/dlist-fdo3129-01 bin/dlist-fdo3129-02 bin/dlist-fdo31590 bin/draw-arrays-colormaterial
	bin/draw-pixel-with-texture bin/ext_framebuffer_blit-blit-early
	bin/ext_framebuffer_object-border-texture-finish bin/ext_framebuffer_object-error-handling
	bin/ext_framebuffer_object-mipmap bin/ext_polygon_offset_clamp-dlist
	bin/ext_polygon_offset_clamp-draw bin/ext_polygon_offset_clamp-draw_gles2
	bin/ext_texture_swizzle-api bin/ext_window_rectangles-errors
	bin/ext_window_rectangles-errors_gles3 bin/ext_window_rectangles-render
	bin/framebuffer-blit-levels bin/framebuffer-blit-mipmap bin/gen_delete_while_active
	bin/gl-1.1-color-material-array bin/gl-1.1-color-material-unused-normal-array
	bin/gl-1.1-draw-arrays-start bin/gl-1.1-drawarrays-vertex-count
	bin/gl-1.1-read-pixels-after-display-list bin/gl-1.1-set-vertex-color-after-draw bin/gl-1.1-xor
	bin/gl-1.1-xor-copypixels bin/line-aa-width bin/line-flat-clip-color bin/lineloop
	bin/linestipple bin/point-line-no-cull bin/polygon-mode bin/polygon-mode-facing
	bin/polygon-offset bin/quad-invariance bin/roundmode-getintegerv bin/roundmode-pixelstore
	bin/same-attachment-glFramebufferRenderbuffer-GL_DEPTH_STENCIL_ATTACHMENT
	bin/same-attachment-glFramebufferTexture2D-GL_DEPTH_STENCIL_ATTACHMENT bin/stencil-drawpixels
	bin/tex-upside-down-miptree bin/texgen bin/teximage-colors
	"tests/spec/glsl-1.[123]0/execution/*"
	"tests/spec/glsl-1.50/execution/*"
)
# A folder with fewer parts is another one.
folder=$cache/piglit-$version-$(cksum <<<"${parts[*]}" | cut -d' ' -f1)
if [ ! -d "$folder" ]; then
	work=$(mktemp -d "$cache/piglit.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	(cd "$work" && apt-get -q download piglit >&2)
	mkdir "$work/root"
	dpkg --fsys-tarfile "$work"/piglit_*.deb |
		tar x -C "$work/root" --wildcards "${parts[@]/#/./$inside/}"
	mv "$work/root" "$folder"
fi
echo "$folder/$inside"
