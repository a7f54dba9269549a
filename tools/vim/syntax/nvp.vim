" SPDX-License-Identifier: MIT
" Text programs of nvfifo. For :make with the errors of lint: setlocal makeprg=nvfifo\ lint\ %
if exists('b:current_syntax')
	finish
endif

syntax match nvpComment /#.*/
syntax region nvpString start=/"/ end=/"/ oneline
syntax match nvpNumber /\<0x[0-9a-fA-F]\+\>/
syntax match nvpNumber /\<[0-9]\+[KMG]\?\>/
syntax match nvpMethod /\<[A-Z0-9]\+\.[A-Z][A-Z0-9_]*\>/
syntax match nvpMethod /\<[A-Z][A-Z0-9]*_[A-Z0-9_]*\>/
syntax keyword nvpStatement title requires space buffer fill map channel object push submit wait
syntax keyword nvpStatement pending poll expect show image
syntax keyword nvpAttribute system wc vram contiguous lsr at auto none readonly readwrite supervisor
syntax keyword nvpAttribute nosnoop kind compression single double long_cycle encrypted pages order
syntax keyword nvpAttribute dma user timeslice sli event class unpaged cycle short long linear after as
syntax keyword nvpAttribute not_main no_prefetch ramp file same crc32 dead ref
syntax keyword nvpWord mthd nimthd data nop jump call return

highlight default link nvpComment Comment
highlight default link nvpString String
highlight default link nvpNumber Number
highlight default link nvpMethod Identifier
highlight default link nvpStatement Statement
highlight default link nvpAttribute Type
highlight default link nvpWord Keyword

let b:current_syntax = 'nvp'
